"""The steps of peers.c in NumPy, as fast as NumPy was found to do them: double precision, one BLAS thread, everything
allocated and precomputed beforehand. bench_peers starts it, names the records and sends a line for each thing to do.

A record enters the gradient of the logistic loss as z = y x alone, so Z = y x is kept, with the limit clip / ||x|| of
its coefficient in the next column: a batch is gathered by one take. A full pass goes block by block, so that the second
product finds its rows in the cache; the size of the blocks is the fastest of several.
"""
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit(77)

path, n, d, stride, batch, clip, eta, noise_std = sys.argv[1], *map(int, sys.argv[2:6]), *map(float, sys.argv[6:9])
raw = np.fromfile(path, dtype=np.float64)
x, y = raw[: n * stride].reshape(n, stride)[:, :d], raw[n * stride :]
data = np.empty((n, d + 1))
data[:, :d] = x * y[:, None]
data[:, d] = clip / np.sqrt(np.einsum("ij,ij->i", x, x))
z, limit = np.ascontiguousarray(data[:, :d]), np.ascontiguousarray(data[:, d])
del raw, x, y

rng = np.random.Generator(np.random.SFC64(1))
gathered = np.empty((batch, d + 1))
coefficient = np.empty(max(batch, n))
gradient, noise, part = np.empty(d), np.empty(d), np.empty(d)
w = np.zeros(d)
np.seterr(over="ignore")


def slopes(rows, limits, out):
    """min(limit, 1 / (1 + exp(<z, w>))): minus the clipped coefficient of z"""
    np.dot(rows, w, out=out)
    np.exp(out, out=out)
    out += 1.0
    np.reciprocal(out, out=out)
    return np.minimum(out, limits, out=out)


def batch_gradient(index):
    np.take(data, index, axis=0, out=gathered, mode="clip")
    rows = gathered[:, :d]
    np.dot(slopes(rows, gathered[:, d], coefficient[:batch]), rows, out=gradient)
    np.multiply(gradient, -1.0 / batch, out=gradient)


def full_gradient(block):
    gradient[:] = 0.0
    for first in range(0, n, block):
        rows = z[first : first + block]
        np.dot(slopes(rows, limit[first : first + block], coefficient[: len(rows)]), rows, out=part)
        np.add(gradient, part, out=gradient)
    np.multiply(gradient, -1.0 / n, out=gradient)


def update():
    rng.standard_normal(out=noise)
    np.multiply(noise, noise_std, out=noise)
    np.add(gradient, noise, out=gradient)
    np.multiply(gradient, eta, out=gradient)
    np.subtract(w, gradient, out=w)


def sgd():
    batch_gradient(rng.choice(n, batch, replace=False, shuffle=False))
    update()


def gd():
    full_gradient(best)
    update()


def plain_gd():
    full_gradient(n)
    update()


def seconds(step, count):
    start = time.process_time()
    for _ in range(count):
        step()
    return time.process_time() - start


def fastest(blocks):
    trials = [[seconds(lambda: full_gradient(b), 1) for b in blocks] for _ in range(5)]
    return blocks[int(np.argmin(np.min(trials, axis=0)))]


steps = {"sgd": sgd, "gd": gd, "plain_gd": plain_gd}
best = fastest([b for b in (512, 1024, 2048, 4096, 8192, 1 << 30) if b < 2 * n])
print("ready NumPy", np.__version__, "blocks of", min(best, n), flush=True)
while words := sys.stdin.buffer.readline().split():
    what = words[0].decode()
    if what in steps:
        print(repr(seconds(steps[what], int(words[1]))), flush=True)
        continue
    w[:] = np.frombuffer(sys.stdin.buffer.read(8 * d))
    if what == "batch":
        batch_gradient(np.frombuffer(sys.stdin.buffer.read(4 * batch), dtype=np.uint32).astype(np.int64))
    else:
        full_gradient(best)
    sys.stdout.buffer.write(gradient.tobytes())
    sys.stdout.buffer.flush()
