/* SPDX-License-Identifier: Apache-2.0 */
/** CUDA 13 has no such header any more, and clang before 22 still asks for it. */
