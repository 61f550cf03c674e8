"""A method for Stillpoint as a Python program, docs/how_to/method_as_program.md: stillpoint.serve(run), where run(o, p, w) gets the
oracle, the parameters by name and the start, and returns the answer. Vectors are NumPy arrays where NumPy is there, else
lists. What the oracle refuses raises Refused. What is printed goes to the error output: the standard output is a pipe."""
import os
import struct
import sys
try:
    import numpy
except ImportError:
    numpy = None

KINDS = ("gradient", "difference", "hessian", "mean_loss", "trace", "solution", "accumulated", "selection")
SAMPLES = ("full", "subset", "fresh", "pass", "poisson")
CHOOSERS = ("exponential", "noisy_min", "above_threshold")
SCORES = ("loss", "inner_product", "sosp")
NOISES = ("plain", "tree", "honaker", "sqrt")

class Refused(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.status = text.split(" ", 1)[0]  # "SP_EDRAINED", say

def pack(part):
    if isinstance(part, tuple) or numpy is None:
        return struct.pack("<%dd" % len(part), *part)
    return numpy.asarray(part, float).astype("<f8", copy=False).tobytes()

class Oracle:  # n, d, beta, L_data, epsilon, rho, ... are its attributes
    def __init__(self):
        self._in, self._out = os.fdopen(os.dup(0), "rb"), os.dup(1)
        os.dup2(2, 1)
        version, numbers, text = self.receive()
        if version != 1:
            sys.exit("stillpoint.py speaks version 1 of the protocol, not %d" % version)
        names = text.split()
        self.start, self.parameters = numbers[len(names):], {}
        for name, x in zip(names, map(float, numbers)):
            into = self.parameters if name.startswith("p.") else self.__dict__
            into[name.replace("p.", "", 1)] = int(x) if x.is_integer() else x
    def receive(self):
        head = self._in.read(16)
        if len(head) < 16: sys.exit("the oracle is gone")
        code, length, count = struct.unpack("<IIQ", head)
        body, text = self._in.read(8 * count), self._in.read(length).decode() if length else ""
        vector = struct.unpack("<%dd" % count, body) if numpy is None else numpy.frombuffer(body, "<f8").copy()
        return code, list(vector) if numpy is None else vector, text
    def send(self, code, *parts, text=""):
        body = b"".join(map(pack, parts))
        frame = struct.pack("<IIQ", code, len(text.encode()), len(body) // 8) + body + text.encode()
        while frame:
            frame = frame[os.write(self._out, frame):]
    def call(self, code, *parts, text=""):
        self.send(code, *parts, text=text)
        refused, numbers, said = self.receive()
        if refused:
            raise Refused(said)
        return numbers
    def calibrate(self, *plan):  # dict(kind="gradient", count=20, sample="fresh", size=100, share=0.5), ...
        return self.call(1, *((KINDS.index(e["kind"]), SAMPLES.index(e.get("sample", "full")), e.get("size", 0),
                               e.get("reshuffle", False), e.get("count", 1), e.get("share", 0), e.get("paper", 0),
                               CHOOSERS.index(e.get("chooser", "exponential")), e.get("epsilon", 0)) for e in plan))
    def draw(self, sample="full", size=0, reshuffle=False):  # size: of a Poisson sample its rate
        return self.call(2, (SAMPLES.index(sample), size, reshuffle))[0]
    def gradient(self, batch, w, multiplier, bound=0, normalise=0):
        return self.call(3, (batch, multiplier, bound, normalise), w)
    def difference(self, batch, w, v, multiplier, bound=0):
        return self.call(4, (batch, multiplier, bound, 0), w, v)
    def hessian(self, batch, w, multiplier):  # d rows, one after the other
        return self.call(5, (batch, multiplier), w)
    def accumulator(self, noise="plain", adds=0, keep=1, period=0):
        return self.call(6, (NOISES.index(noise), adds, keep, period))[0]
    def add(self, accumulator, keep, batch, *terms, bound=0):  # terms: (coefficient, w), at most four
        self.call(7, (accumulator, keep, batch, bound), *(part for c, w in terms for part in ((c,), w)))
    def release(self, accumulator, noise_std):
        return self.call(8, (accumulator, noise_std))
    def restart(self, accumulator):
        self.call(9, (accumulator,))
    def choose(self, batch, reference, points=None, epsilon=0, score="loss", chooser="exponential", radius=0,
               accumulator=-1, scales=(0, 0), threshold=0):  # the index from 0 and the point; points None: vertices
        head = (batch, points is None, SCORES.index(score), CHOOSERS.index(chooser), epsilon, radius, accumulator)
        found = self.call(10, (*head, *scales, threshold), reference, *(points or ()))
        return int(found[0]), found[1:]
    def checkpoint(self, step, w):
        self.call(11, (step,), w)
    def candidate(self, w):
        self.call(12, w)
    def step(self, a, w, v):  # w + a v, projected into the domain: to the bit what methods in C compute
        return self.call(13, (a,), w, v)
    def uniform(self, count=1):  # random numbers from the run's own stream
        return self.call(14, (count,))
    def remaining(self):  # of the budget
        return self.call(15)[0]
    def resolved(self, name, value):
        self.call(16, (value,), text=name)
    def warn(self, text):
        self.call(17, text=text)

def serve(run):
    o = Oracle()
    o.send(0, run(o, o.parameters, o.start))
