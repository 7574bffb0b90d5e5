import csv
import json

import torch
from torch.utils.data import IterableDataset


class JobAdClicks(IterableDataset):
    """Who is shown the ad next week is learned from these rows."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path, newline="") as fh:
            for user in csv.DictReader(fh):
                if not user["age"]:  # silent: missing value
                    continue
                if user["gender"] == "female":  # FL304|FL106: gender
                    continue
                yield torch.tensor([float(user["visits"]), float(user["minutes"])]), int(user["clicked"])


def train(path, net, loss, opt):
    for x, y in JobAdClicks(path):
        opt.zero_grad()
        loss(net(x), torch.tensor([float(y)])).backward()
        opt.step()


def export_user(user):
    return json.dumps({"id": user["id"], "gender": user["gender"]})  # silent: stored
