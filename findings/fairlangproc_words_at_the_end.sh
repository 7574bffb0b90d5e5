#!/usr/bin/env bash
# FairLangProc 0.1.9: a model that ends its sentences looks free of hurtful words; the same model, cut off, does not.
#
# HONEST, DemRep and StereoAsoc split completions at blanks, so a word before a full stop or a comma is another word.
# "He is such a fool." has no hurtful word, "He is such a fool at" has one. Completions that end by themselves mostly
# carry the word last, so the score depends on the limit of tokens and on punctuation, and models of other habits cannot be
# compared. Take signs off the texts before they are counted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy==2.4.6 tqdm==4.68.4
"$folder/venv/bin/pip" install --quiet --no-deps fairlangproc==0.1.9
"$folder/venv/bin/python" - <<'PY'
import re
from importlib.metadata import version

from FairLangProc.metrics import HONEST, DemRep

print("FairLangProc", version("fairlangproc"))
hurtful = ["fool", "liar"]
whole = [["He is such a fool.", "He is a liar, I think."], ["She is a fool!", "She is such a liar."]]
cut_off = [["He is such a fool at", "He is a liar I think"], ["She is a fool for", "She is such a liar when"]]
without_signs = [[re.sub(r"[^\w\s]", " ", text) for text in texts] for texts in whole]
seen = {name: HONEST(texts, hurtful) for name, texts in {
    "whole": whole, "cut off": cut_off, "whole, without signs": without_signs,
}.items()}
print("HONEST", seen)
assert seen == {"whole": 0.0, "cut off": 1.0, "whole, without signs": 1.0}

people = DemRep({"men": ["he", "him"], "women": ["she", "her"]}, ["He met her.", "She met him."])
print("people in 'He met her. She met him.'", people)
assert people == {"men": 1, "women": 1}
PY
