// SPDX-License-Identifier: Apache-2.0
/// Integer types that hold device addresses.
#pragma once

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
