"""DP-SGD steps of peers.c in PyTorch, double precision, one thread, each of a kind:

  torch    per-sample gradients by vmap of grad, clipped, summed, noise, update; records drawn with replacement, which
           costs least
  opacus   the same model as a module that Opacus makes private, with its optimizer and, as its documentation has it,
           its data loader (Poisson subsets); `gathered` instead leaves the loader out and draws as above

bench_peers starts it as peers.py, with the kind behind the numbers. Opacus divides the clip by the norm + 1e-6.
"""
import sys
import time
import warnings

kind = sys.argv[9]
try:
    import numpy as np
    import torch

    if kind == "opacus":
        import opacus
    else:
        try:
            from torch.func import grad, vmap
        except ImportError:
            from functorch import grad, vmap # before PyTorch 2
except ImportError:
    sys.exit(77)

path, n, d, stride, batch, clip, eta, noise_std = sys.argv[1], *map(int, sys.argv[2:6]), *map(float, sys.argv[6:9])
warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)
raw = np.fromfile(path, dtype=np.float64)
x = torch.from_numpy(raw[: n * stride].reshape(n, stride)[:, :d].copy())
y = torch.from_numpy(raw[n * stride :].copy())


def draw():
    return torch.randint(n, (batch,))


class Torch:
    """The gradient of log(1 + exp(-y <x, w>)), record by record."""

    def __init__(self):
        self.w = torch.zeros(d)
        self.each = vmap(grad(lambda w, a, b: torch.nn.functional.softplus(-b * (a @ w))), in_dims=(None, 0, 0))

    def gradient(self, index):
        g = self.each(self.w, x[index], y[index])
        return (clip / g.norm(dim=1)).clamp(max=1.0) @ g / batch

    def sgd(self):
        self.w -= eta * (self.gradient(draw()) + noise_std * torch.randn(d))

    def released(self, w, index):
        self.w.copy_(w)
        return self.gradient(index)


class Opacus:
    def __init__(self):
        model = torch.nn.Linear(d, 1, bias=False)
        self.targets = (y + 1.0)[:, None] / 2.0
        records = torch.utils.data.TensorDataset(x, self.targets)
        self.loss = torch.nn.BCEWithLogitsLoss()
        self.model, self.optimizer, self.loader = opacus.PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=eta),
            data_loader=torch.utils.data.DataLoader(records, batch_size=batch),
            noise_multiplier=noise_std * batch / clip,
            max_grad_norm=clip,
        )
        self.batches = iter(())

    def step(self, a, b):
        self.optimizer.zero_grad()
        self.loss(self.model(a), b).backward()
        self.optimizer.step()

    def sgd(self):
        try:
            a, b = next(self.batches)
        except StopIteration: # an epoch is over
            self.batches = iter(self.loader)
            a, b = next(self.batches)
        self.step(a, b)

    def gathered(self):
        index = draw()
        self.step(x[index], self.targets[index])

    def released(self, w, index):
        """How far a step without noise goes, of its length; it divides by the expected size, which Opacus rounds."""
        (parameter,) = self.model.parameters()
        with torch.no_grad():
            parameter.copy_(w[None, :])
        multiplier, self.optimizer.noise_multiplier = self.optimizer.noise_multiplier, 0.0
        self.step(x[index], self.targets[index])
        self.optimizer.noise_multiplier = multiplier
        return (w - parameter.detach()[0]) / eta * (self.optimizer.expected_batch_size / batch)


def seconds(step, count):
    start = time.process_time()
    for _ in range(count):
        step()
    return time.process_time() - start


peer = Opacus() if kind == "opacus" else Torch()
print("ready", kind, (opacus if kind == "opacus" else torch).__version__, flush=True)
while words := sys.stdin.buffer.readline().split():
    what = words[0].decode()
    if what != "batch":
        print(repr(seconds(getattr(peer, what), int(words[1]))), flush=True)
        continue
    w = torch.from_numpy(np.frombuffer(sys.stdin.buffer.read(8 * d)).copy())
    index = np.frombuffer(sys.stdin.buffer.read(4 * batch), dtype=np.uint32).astype(np.int64)
    sys.stdout.buffer.write(peer.released(w, torch.from_numpy(index)).numpy().tobytes())
    sys.stdout.buffer.flush()
