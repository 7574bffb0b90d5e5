"""Two-layer network on the German credit data. numpy only."""
import sys

import numpy as np
from data import packaged

# column numbers of german.data
STATUS, DURATION, HISTORY, PURPOSE, AMOUNT, SAVINGS, EMPLOYED, RATE = range(8)
SEX_STATUS, DEBTORS, RESIDENCE, PROPERTY, AGE, PLANS, HOUSING = range(8, 15)
N_CREDITS, JOB, LIABLE, PHONE, FOREIGN, LABEL = range(15, 21)


def load(path):
    with open(path) as f:
        return np.array([line.split() for line in f if line.strip()])


def ordinal(col, order):
    lut = {code: i for i, code in enumerate(order)}
    return np.array([lut[v] for v in col], dtype=float)


def one_hot(col):
    levels = np.unique(col)
    return (col[:, None] == levels[None, :]).astype(float)


def zscore(a):
    mu, sd = a.mean(0), a.std(0)
    sd[sd == 0] = 1
    return (a - mu) / sd


raw = load(packaged("german", "german.data"))
N = raw.shape[0]
print("rows, columns:", raw.shape)

duration = raw[:, DURATION].astype(float)
amount = raw[:, AMOUNT].astype(float)
age = raw[:, AGE].astype(float)
installment = raw[:, RATE].astype(float)
account = ordinal(raw[:, STATUS], ["A11", "A12", "A13", "A14"])
savings = ordinal(raw[:, SAVINGS], ["A65", "A61", "A62", "A63", "A64"])
job_years = ordinal(raw[:, EMPLOYED], ["A71", "A72", "A73", "A74", "A75"])
female = np.isin(raw[:, SEX_STATUS], ["A92", "A95"]).astype(float)
single = np.isin(raw[:, SEX_STATUS], ["A93", "A95"]).astype(float)
foreign = (raw[:, FOREIGN] == "A201").astype(float)
monthly = amount / duration

X = np.column_stack([
    duration, np.log(amount), installment, account, savings, job_years, monthly,
    age, female, single,
])
X = np.hstack([zscore(X), one_hot(raw[:, PURPOSE]), one_hot(raw[:, HISTORY])])
y = (raw[:, LABEL] == "2").astype(float)[:, None]
print("design matrix:", X.shape, "bad:", y.mean())

# permutation, 70/15/15
rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
perm = rng.permutation(N)
tr, va, te = np.split(perm, [int(0.7 * N), int(0.85 * N)])


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-np.clip(z, -30, 30)))


class Net:
    def __init__(self, n_in, n_hidden=12, scale=0.1):
        self.W1 = rng.normal(0, scale, (n_in, n_hidden))
        self.b1 = np.zeros(n_hidden)
        self.W2 = rng.normal(0, scale, (n_hidden, 1))
        self.b2 = np.zeros(1)

    def forward(self, x):
        self.x = x
        self.h = np.tanh(x @ self.W1 + self.b1)
        return sigmoid(self.h @ self.W2 + self.b2)

    def step(self, p, t, w, lr, l2):
        g = (p - t) * w / len(t)
        gW2 = self.h.T @ g + l2 * self.W2
        gh = (g @ self.W2.T) * (1 - self.h**2)
        gW1 = self.x.T @ gh + l2 * self.W1
        self.W2 -= lr * gW2
        self.b2 -= lr * g.sum(0)
        self.W1 -= lr * gW1
        self.b1 -= lr * gh.sum(0)


def logloss(p, t):
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return float(-(t * np.log(p) + (1 - t) * np.log(1 - p)).mean())


def auc(p, t):
    p, t = p.ravel(), t.ravel()
    rank = np.empty(len(p))
    rank[np.argsort(p)] = np.arange(1, len(p) + 1)
    pos = t == 1
    return (rank[pos].sum() - pos.sum() * (pos.sum() + 1) / 2) / (pos.sum() * (~pos).sum())


# bad loans cost five times as much
w = np.where(y == 1, 5.0, 1.0)
w /= w.mean()

net = Net(X.shape[1])
best, best_weights, patience = np.inf, None, 0
for epoch in range(600):
    order = rng.permutation(tr)
    for i in range(0, len(order), 64):
        b = order[i:i + 64]
        net.step(net.forward(X[b]), y[b], w[b], lr=0.2, l2=1e-3)
    loss = logloss(net.forward(X[va]), y[va])
    if loss < best - 1e-4:
        best, patience = loss, 0
        best_weights = [a.copy() for a in (net.W1, net.b1, net.W2, net.b2)]
    else:
        patience += 1
    if epoch % 50 == 0:
        print(f"{epoch:4d}  valid loss {loss:.4f}")
    if patience > 60:
        break
net.W1, net.b1, net.W2, net.b2 = best_weights

p = net.forward(X[te])
print("test AUC", round(auc(p, y[te]), 3), "loss", round(logloss(p, y[te]), 3))

# cost curve
cuts = np.linspace(0.05, 0.95, 19)
cost = [(5 * ((p < c) & (y[te] == 1)).sum() + ((p >= c) & (y[te] == 0)).sum()) / len(te) for c in cuts]
cut = cuts[int(np.argmin(cost))]
print("cheapest cut-off", round(float(cut), 2), "cost", min(cost))

# leave-one-out importance by shuffling a column
labels = ["duration", "log amount", "rate", "account", "savings", "job", "monthly", "age", "female", "single"]
base = auc(p, y[te])
for j, name in enumerate(labels):
    Z = X[te].copy()
    Z[:, j] = rng.permutation(Z[:, j])
    print(f"{name:<11} {base - auc(net.forward(Z), y[te]):+.4f}")

# refusals by group
refused = (p >= cut).ravel()
for name, mask in (("women", female[te] == 1), ("men", female[te] == 0), ("foreign", foreign[te] == 1)):
    print(f"{name:<8} n={mask.sum():3d} refused={refused[mask].mean():.3f}")
