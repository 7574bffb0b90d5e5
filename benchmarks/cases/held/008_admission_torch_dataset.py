import torch
from torch.utils.data import DataLoader, Dataset


class AdmissionsDataset(Dataset):
    """Rows of the admissions table as tensors."""

    COLUMNS = ["gpa", "test_total", "essays", "religion_code"]  # FL301: religion

    def __init__(self, frame):
        self.x = torch.tensor(frame[self.COLUMNS].values, dtype=torch.float32)
        self.y = torch.tensor(frame["admitted"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def fit(frame, epochs=20):
    net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    loss_fn = torch.nn.BCEWithLogitsLoss()
    for _ in range(epochs):
        for xb, yb in DataLoader(AdmissionsDataset(frame), batch_size=64, shuffle=True):
            opt.zero_grad()
            loss = loss_fn(net(xb).squeeze(1), yb)
            loss.backward()
            opt.step()
    return net
