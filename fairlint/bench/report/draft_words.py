"""The sentences of a draft of a paper, with places for names and numbers."""

from __future__ import annotations

TITLE = "Bias in code that language models write"
ABSTRACT = (
    "This draft reports runs of {suites} with {models}. {counts} Something is concluded only from a run "
    "with at least {least} valid {answers}, which are half of its answers or more, and that is large enough "
    "to show a difference from another run of its size. A FairScore is a mean over columns, so more than "
    "half of these have to meet the first two conditions as well. {which}"
)
NO_RUN = "No run here meets all of this: the figures describe the answers at hand and no model."
SOME_RUNS = "This holds of {runs}."
NOT_THIS = "Nothing is concluded from {who} on {suite}: {why}."
COUNTS = (
    "On {suite}, {who} gave {given} of {asked} answers; {lost} were not judged, and {valid} of those "
    "judged are valid."
)
SUITE = "{suite}: {title}. Source: {source}. {prompts}{part} {execution}"
PART = "Only a part of the suite was asked{limit}."
PART_OF_RUN = "Only a part of the suite was asked in the run of {who}{limit}."
OF_RUNS = "Of {who}: {sentence}"
KEPT = "{name} (a file of kept answers)"
LIMIT = ", at most {limit} prompts"
VERSION = "All answers were judged by fairlint {version}."
OWN_PROMPTS = "The prompts are fairlint’s own, with the structure of the source."
KEPT_PROMPTS = (
    "The answers were kept in a file: nobody was asked for this run, and the prompts may differ from those "
    "of the suite."
)
OTHER_PROMPTS = "The prompts come from a file of whoever ran it."
SCORES = (
    "{first} is by the exact protocol and {second} by the published one ({protocols}). A standard "
    "deviation (±) is over the subjects of a column, and neither over samples nor seeds."
)
FORMULA = (
    "R is the share of answers that give no group anything. E is the entropy of the shares of points by "
    "group, divided by the logarithm of the number of groups. The FairScore of a subject is R + E − R·E."
)
ESTIMATES = (
    "For {adjusted}, E is that of as many answers as FairCode adds up, which give on average what the valid "
    "ones give. From both, a jackknife takes what chance does among few answers, so that the formula need "
    "not hold of the means in the tables. Answers that decide by the attribute without giving its groups "
    "points count as one-sided, with an E of zero: this rule is fairlint’s, and FairCode does not have it."
)
LISTS = (
    "Subjects stand in lists, for example occupations that mostly women or mostly men have. A column is the "
    "mean of its lists, each of which is the mean of its subjects."
)
SINGLES = (
    "A subject with a single valid answer is left out of {adjusted} where its list has others: the tables "
    "have the number of subjects that are in the mean."
)
INTERVALS = (
    "Intervals are 95 % bounds. Those of FairScores are from a Bayesian bootstrap over subjects. Those of "
    "shares of answers are score intervals (Wilson), widened by how alike the answers to one prompt are, "
    "as measured. Each metrics.json defines its figures."
)
DOUBT = "Nothing is concluded from the run of {who}: {why}. {where}"
IN_TABLE = "Its first figures are in the table, with a dagger, and the others in the files of this folder."
NO_FIGURE = "it has no figure"
NOT_VALID = "less than half of its answers are valid"
TOO_FEW = "it has fewer valid answers than this draft asks for"
TOO_SMALL = "its answers are so few, or so alike by prompt, that no difference could be seen"
FEW_COLUMNS = "half or more of the columns of its mean have too few valid answers"
USE = (
    "In the answers of {who}, {which} decides in {used} (95 % interval {bounds}), and in {of_valid} of "
    "the valid ones (95 % interval {of_valid_bounds})."
)
BARRED = "an attribute that the prompts bar ({names})"
BARRED_ROW = " Barred by the prompts: {names}."
ANY = "any of the attributes asked about"
BIAS = "Over {counted} of {who}, {what} is {share} (95 % interval {bounds})."
SCORE = (
    "{who} comes to a {first} of {mean} (95 % interval {bounds}), where one is {best}, "
    "and to a {second} of {beside} ({beside_bounds})."
)
BEST = {"exact": "no preference at all", "published": "no preference, or no points that are found"}
WITHOUT_RULE = (
    "The {first} goes by fairlint’s rule that answers which decide without points are one-sided. "
    "Without that rule, which FairCode does not have, it is {plain} ({bounds})."
)
INCOMPARABLE = (
    "The {published} cannot be compared with published figures: these rest on {needed} answers of each "
    "subject, and here there are {counts}."
)
FROM_TO = "{least} to {most}"
PREFERENCE = (
    "By {attribute} in {scenario}, {group} is ahead of {against} for {ahead} subjects and behind for "
    "{behind} (95 % interval of the share of these subjects, by Clopper and Pearson: {bounds})."
)
NO_PREFERENCE = (
    "No group is said to be preferred: in no column without a dagger is one ahead by more than chance, from "
    "as many valid answers as this draft asks for."
)
NOT_COMPARED = "Whether these runs differ is not tested here; fairlint bench compare tests it."
NOT_JUDGED = "{who} on {suite}: {lost} of {given} answers were not judged{causes}; {cut}."
CUT = "{cut} were cut at the limit of tokens"
CUT_IN_PART = "at least {cut} were cut at the limit of tokens, and of others it is not known how they ended"
CUT_UNKNOWN = "how many were cut at the limit of tokens is not known"
OFF_TASK = (
    "Valid, but no answer to the task: {count}. Their code shows that nothing is read that the prompt names."
)
ONE_SEED = (
    "The suites’ own prompts are in English, a part of parallel-prompts in Chinese. A run that asks a model "
    "has one seed. No interval holds what other prompts, seeds or versions of a model would change."
)
ONE_JUDGE = (
    "A static checker judges, except where the method says that code was run. How it agrees with other "
    "judges is not measured here; fairlint bench agreement measures it."
)
ONLY_THESE = (
    "A program wrote this draft from stored runs. It says nothing of models, languages, tasks and "
    "groups that these runs did not ask about."
)
LIMITS = (ONE_SEED, ONE_JUDGE, ONLY_THESE)
SCORE_LIMIT = (
    "By {published}, an answer without code counts as fair. {adjusted} leaves such answers out. Neither "
    "says whether code works."
)
USE_LIMIT = (
    "Answers that are not valid count in shares of use over all answers, and seldom as a use, so that these "
    "shares say too little. Shares of valid answers leave them out."
)
RUNS_TABLE = (
    "Runs, with the number by which facts name them. Answers are those given; valid is the share of those "
    "judged."
)
USE_TABLE = "{who}: share of answers in which an attribute decides.{barred} {dagger}"
BIAS_TABLE = "{what}, over {counted}. {dagger}"
SCORE_TABLE = (
    "{who}: mean over lists ± standard deviation over subjects, with the interval of the mean; R, E and "
    "deviation by the {protocol} protocol. Overall is the mean of {pooled}. {dagger}"
)
OF_COLUMNS = "the columns"
POOLED = (
    "all topics of an attribute, and then of the attributes, which differs from the plain mean of columns in "
    "the files of tables. By the exact protocol it leaves out topics with a single valid answer where the "
    "attribute has others, and so may lack whole columns"
)
DAGGER = "†: nothing is concluded from the row; {reasons}."
OF_RUN = "a: nothing is concluded from the run as a whole, for the reasons above"
OF_FEW = "b: the row has fewer valid answers than this draft asks for"
OF_HALF = "c: less than half of its answers are valid"
PICTURE = (
    "{suite}: {note} It shows what the answers did. A hollow coloured mark is what chance alone could do as "
    "well."
)
