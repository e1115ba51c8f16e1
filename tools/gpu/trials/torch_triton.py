# SPDX-License-Identifier: Apache-2.0
"""An unmodified PyTorch program with a Triton kernel; prints sums that do not depend on timing."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_relu(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, tl.maximum(total, 0.0), mask=mask)


torch.manual_seed(1)
n = 1 << 16
x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
out = torch.empty_like(x)
add_relu[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
print("triton", bool(torch.equal(out, torch.relu(x + y))))
layer = torch.nn.Linear(256, 64).cuda()
print("linear", tuple(layer(x.view(-1, 256)).shape))
