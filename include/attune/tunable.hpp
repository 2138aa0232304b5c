// attune/tunable.hpp - the one header a kernel file includes: names a parameter where it is used.
// SPDX-License-Identifier: MIT
#pragma once

/// ATTUNE_TUNABLE(NAME, default): `constexpr int tile = ATTUNE_TUNABLE(TILE_M, 64);`
///
/// The default may contain commas. The result is text, so it can stand wherever the default can:
/// in an array bound, a template argument, an `#if`, a pragma that expands macros. When attune
/// compiles the kernel, NAME is a macro, too, that holds the value of the configuration; not so
/// where the file itself gives that name to it: `constexpr int TILE_M = ATTUNE_TUNABLE(TILE_M,
/// 64);` Nothing is a default as well: ATTUNE_TUNABLE(UNROLL, ) for a pragma that may be left out.
///
/// By hand, -DATTUNE_COMPILES_VARIANT -DTILE_M=32 compiles a file with that value.
#ifdef ATTUNE_COMPILES_VARIANT
#if ATTUNE_COMPILES_VARIANT + 0 >= 2
#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name
#else
#define ATTUNE_TUNABLE(name, ...) name
#endif
#else
#define ATTUNE_TUNABLE(name, ...) __VA_ARGS__
#endif
