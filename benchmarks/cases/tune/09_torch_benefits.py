import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class ClaimsDataset(Dataset):
    """Housing benefit claims with the caseworker's decision."""

    columns = ["flat_size_sqm", "rent", "months_waiting", "nationality_id"]  # FL301: national_origin

    def __init__(self, csv):
        frame = pd.read_csv(csv)
        self.x = torch.tensor(frame[self.columns].values, dtype=torch.float32)
        self.y = torch.tensor(frame["granted"].values, dtype=torch.float32)
        self.sex = frame["sex"].tolist()  # silent: kept for the evaluation below

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def train(csv, epochs=10):
    ds = ClaimsDataset(csv)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for xb, yb in DataLoader(ds, batch_size=128, shuffle=True):
            opt.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(net(xb).squeeze(1), yb)
            loss.backward()
            opt.step()
    return net
