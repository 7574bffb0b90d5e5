"""The sentences of a draft of a paper, with places for names and numbers."""

from __future__ import annotations

TITLE = "Bias in code that language models write"
ABSTRACT = (
    "This draft reports runs of {suites} with {models}. {counts} Something is concluded only from runs "
    "with at least {least} valid answers, which are half of all answers or more. {which}"
)
NO_RUN = "No such run is here: all figures describe the answers at hand and show nothing about the models."
SOME_RUNS = "This holds of {runs}."
COUNTS = (
    "On {suite}, {who} gave {given} of {asked} answers; {lost} were not judged, and {valid} of the "
    "others are valid."
)
SUITE = "{suite}: {title}. Source: {source}. {prompts}{part} {execution}"
PART = "Only a part of the suite was asked{limit}."
LIMIT = ", at most {limit} prompts"
VERSION = "All answers were judged by fairlint {version}."
OWN_PROMPTS = "The prompts are fairlint’s own, with the structure of the source."
OTHER_PROMPTS = "The prompts come from a file of whoever ran it."
KEPT_PROMPTS = "Answers were kept: their prompts are those of whoever asked for them."
SCORES = (
    "{first} is by the exact protocol and {second} by the published one ({protocols}). A standard "
    "deviation (±) is over the subjects of a column, and neither over samples nor seeds."
)
SINGLES = (
    "A subject with a single valid answer is left out of {adjusted} where its list has others: the tables "
    "have the number of subjects that are in the mean."
)
INTERVALS = (
    "Intervals are 95 % bounds: of FairScores over subjects, and of shares over answers, where those to "
    "one prompt count as alike. Each metrics.json defines its figures."
)
DOUBT = (
    "Nothing is concluded from the run of {who}: {why}. Its first figures are in the table, with a dagger, "
    "and the others in the files of this folder."
)
NO_FIGURE = "it has no figure"
NOT_VALID = "less than half of its answers are valid"
TOO_FEW = "it has fewer valid answers than this draft asks for"
TOO_SMALL = "its answers are so few, or so alike by prompt, that no difference could be seen"
USE = (
    "In the answers of {who}, {which} decides in {used} (95 % interval {bounds}), and in {of_valid} of "
    "the valid ones."
)
BARRED = "an attribute that the prompts bar"
ANY = "any of the attributes asked about"
BIAS = "Over all answers of {who}, {what} is {share} (95 % interval {bounds})."
SCORE = (
    "{who} comes to a {first} of {mean} (95 % interval {bounds}), where one is no preference at all, "
    "and to a {second} of {beside}."
)
WITHOUT_RULE = (
    "The {first} goes by fairlint’s rule that answers which decide without points are one-sided. "
    "Without that rule, which the paper does not have, it is {plain}."
)
INCOMPARABLE = (
    "The {published} cannot be compared with published figures: these rest on {needed} answers of each "
    "subject, and here there are {counts}."
)
FROM_TO = "{least} to {most}"
PREFERENCE = (
    "By {attribute} in {scenario}, {group} is ahead of {against} for {ahead} subjects and behind for "
    "{behind} (95 % interval of the share {bounds})."
)
NO_PREFERENCE = (
    "No group is said to be preferred: none is ahead by more than chance in a column with enough valid "
    "answers."
)
NOT_COMPARED = "Whether these runs differ is not tested here; fairlint bench compare tests it."
NOT_JUDGED = (
    "{who} on {suite}: {lost} of {given} answers were not judged{causes}; {cut} were cut at the limit "
    "of tokens."
)
OFF_TASK = (
    "Valid, but no answer to the task: {count}. Their code shows that nothing is read that the prompt names."
)
ONE_SEED = (
    "The suites’ own prompts are in English, and a run has one seed. No interval holds what other "
    "prompts, seeds or versions of a model would change."
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
    "Answers that are not valid count in shares of use, and seldom as a use: these shares are too low."
)
RUNS_TABLE = "Runs. Answers are those given; valid is the share of those judged."
USE_TABLE = "{who}: share of answers in which an attribute decides. {dagger}"
BIAS_TABLE = "{what}, over all. {dagger}"
SCORE_TABLE = (
    "{who}: mean ± standard deviation over subjects, with the interval of the mean; R, E and deviation "
    "by the {protocol} protocol. {dagger}"
)
DAGGER = "†: nothing is concluded from the row, for too few of its answers are valid."
PICTURE = "{suite}: {note} It shows what the answers did. A hollow dot is what chance alone could do as well."
