// SPDX-License-Identifier: Apache-2.0
#define MY_INCLUDED 5
