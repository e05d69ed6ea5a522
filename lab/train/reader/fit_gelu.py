"""Fits the polynomial of `gelu` in src/cross-encoder/kernel: gelu(x) = x * (1/2 + x * P(v)), v = 2 (x / 5)^2 - 1, for |x| <= 5.

P is fitted to (normal CDF of x - 1/2) / x at Chebyshev nodes, each weighted by the effect of its error on gelu. Prints the
coefficients, highest power first, and the largest error in float32.
"""

import math

import numpy as np
from numpy.polynomial import chebyshev

REACH, DEGREE = 5.0, 11

normal_share = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))
nodes = np.cos((np.arange(4000) + 0.5) * np.pi / 4000)
squares = (nodes + 1) * REACH**2 / 2
x = np.sqrt(squares)
fitted = chebyshev.chebfit(nodes, (normal_share(x) - 0.5) / x, DEGREE, w=np.maximum(squares, 0.3))
factors = chebyshev.cheb2poly(fitted)[::-1].astype(np.float32)
print(", ".join(repr(float(factor)) for factor in factors))

tried = np.linspace(-12, 12, 1_000_001).astype(np.float32)
bounded = tried.clip(-REACH, REACH)
v = bounded * bounded * np.float32(2 / REACH**2) - np.float32(1)
p = np.full_like(v, factors[0])
for factor in factors[1:]:
    p = p * v + factor
print("largest error", np.abs(tried * (np.float32(0.5) + bounded * p) - tried.astype(float) * normal_share(tried.astype(float))).max())
