import matplotlib.pyplot as plt
import pandas as pd
from aequitas.bias import Bias
from aequitas.group import Group


def quarterly(path: str, out: str) -> pd.DataFrame:
    cols = ["score", "label_value", "race", "sex", "age_cat"]  # silent: input of the bias audit
    preds = pd.read_csv(path, usecols=cols)
    counts, _ = Group().get_crosstabs(preds, attr_cols=["race", "sex", "age_cat"])  # silent: bias audit
    ratios = Bias().get_disparity_predefined_groups(
        counts,
        original_df=preds,
        ref_groups_dict={"race": "Caucasian", "sex": "Male", "age_cat": "25 - 45"},  # silent: reference groups of the audit
    )
    women = counts[counts["attribute_value"] == "Female"]
    ax = counts.plot.bar(x="attribute_value", y="fpr")
    ax.set_title(f"false positive rate, women: {women['fpr'].iloc[0]:.2f}")
    plt.savefig(out)
    return ratios
