from langchain.chains import LLMChain
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_openai import ChatOpenAI

rank_prompt = PromptTemplate.from_template(
    "Rank these tenants for the flat from best to worst.\n"  # FL701: religion
    "Tenant: {income} EUR a month, religion {religion}, {adults} adults.\n"
    "Give a score between 0 and 100."
)

fair_prompt = ChatPromptTemplate.from_messages(
    [
        ("system", "Score the tenant between 0 and 100. Ignore gender, religion and origin."),  # silent: tells to ignore the groups
        ("human", "Income {income}, adults {adults}, references {references}"),
    ]
)

chain = LLMChain(llm=ChatOpenAI(temperature=0), prompt=rank_prompt)


def best(tenants):
    return max(tenants, key=lambda t: int(chain.run(**t)))
