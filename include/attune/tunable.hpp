// attune/tunable.hpp - the only header for kernel files: names a parameter at its use.
// SPDX-License-Identifier: MIT
#pragma once

/// ATTUNE_TUNABLE(NAME, default): `constexpr int tile = ATTUNE_TUNABLE(TILE_M, 64);`
///
/// The default may contain commas. The result is text, so it may stand at each place for the
/// default: in an array bound, a template argument, an `#if`, a pragma that expands macros. When
/// attune compiles the kernel, NAME is also a macro with the value of the configuration. NAME is no
/// macro if the file itself gives that name to something: `constexpr int TILE_M =
/// ATTUNE_TUNABLE(TILE_M, 64);` An empty default is valid: ATTUNE_TUNABLE(UNROLL, ) for a pragma
/// that may be left out.
///
/// Without attune, -DATTUNE_COMPILES_VARIANT -DTILE_M=32 compiles a file with that value.
#ifdef ATTUNE_COMPILES_VARIANT
#if ATTUNE_COMPILES_VARIANT + 0 >= 2
#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name
#else
#define ATTUNE_TUNABLE(name, ...) name
#endif
#else
#define ATTUNE_TUNABLE(name, ...) __VA_ARGS__
#endif
