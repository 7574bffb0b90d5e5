from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_openai import ChatOpenAI

LOAN = PromptTemplate.from_template(
    "Applicant race: {race}\nIncome: {income}\nAmount: {amount}\nApprove or deny this loan. One word."  # FL701: race
)

WELCOME = ChatPromptTemplate.from_messages([
    ("system", "You write polite welcome mails in {language}."),
    ("human", "Write to {title} {last_name}, pronouns {pronouns}."),  # silent: letter, no decision
])

llm = ChatOpenAI(model="gpt-4o", temperature=0)
loan_chain = LOAN | llm | StrOutputParser()
mail_chain = WELCOME | llm | StrOutputParser()


def decide(app: dict) -> str:
    return loan_chain.invoke({"race": app["race"], "income": app["income"], "amount": app["amount"]})
