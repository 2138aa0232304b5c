// attune/compile/clang_abi.hpp - the C interface between attune and its Clang module.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       text, arguments of the clang driver
// Out      machine code in this process, or what clang said
// Source   own. Plain C types, because the module may be built by another compiler than the program
// Depends  nothing
// Tests    tests/compile/clang_abi.cpp
#pragma once

extern "C" {

/// One text to compile.
struct attune_clang_request {
    char const* text;             ///< not necessarily zero-terminated
    unsigned long text_size;      ///< bytes
    unsigned long kernel_size;    ///< the first bytes of `text` that are the kernel's own
    char const* path;             ///< what messages call it; quoted includes are looked up there
    char const* const* arguments; ///< of the clang driver, without macros of the variant
    unsigned long argument_count;
    char const* const* macros; ///< "-DNAME=VALUE"
    unsigned long macro_count;
    double limit_s;      ///< wall seconds; past it optimising is cut short and the stage is 1
    char const* entry;   ///< symbol to look up
    char const* overlay; ///< text of <attune/tunable.hpp>
    int precompile;      ///< not 0: keep the headers of the kernel parsed between variants
};

/// What became of it. All texts belong to the reply.
struct attune_clang_reply {
    int stage;     ///< 0: loaded; 1: did not compile; 2: did not load
    void* address; ///< of the entry
    void* code;    ///< to be given to release_code; null when not loaded
    char const* log;
    unsigned char const* object; ///< the relocatable object
    unsigned long object_size;   ///< bytes
    int precompiled;             ///< 1 when parsed headers were reused for this variant
};

/// The module's functions. None throws; all may be called from several threads.
struct attune_clang_functions {
    unsigned abi_version; ///< attune_clang_abi_version of the module
    int major;            ///< of clang
    char const* version;  ///< "19.1.7"
    /// A new session; null on failure, with the reason in `problem` (`size` bytes,
    /// zero-terminated).
    void* (*open_session)(char* problem, unsigned long size);
    void (*close_session)(void* session);
    char const* (*processor)(void* session); ///< "cpu=znver4 features=0123456789abcdef"
    attune_clang_reply* (*compile)(void* session, attune_clang_request const* request);
    void (*free_reply)(attune_clang_reply* reply);
    void (*release_code)(void* session, void* code);
};

/// The one symbol of the module.
attune_clang_functions const* attune_clang_module();
}

/// Raised whenever one of the structures above changes.
inline constexpr unsigned attune_clang_abi_version = 1;
