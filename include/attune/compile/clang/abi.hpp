// attune/compile/clang/abi.hpp - the C interface between attune and its Clang module.
// SPDX-License-Identifier: MIT
//
// Plain C types, because a compiler other than the program's may have built the module.
#pragma once

extern "C" {

/// Storage for parsed headers that outlives the process. compile() calls both functions on its own
/// thread, for a kernel that is new to the session.
struct attune_clang_keeper {
    void* self; ///< the first argument of both
    /// @return  the bytes kept under this key, valid until compile() returns; null if they are
    ///          absent, or a file that they depend on has changed
    unsigned char const* (*find)(void* self, char const* key, unsigned long* size);
    void (*keep)(void* self, char const* key, unsigned char const* bytes, unsigned long size,
                 char const* const* read, ///< files that the bytes depend on, absolute paths
                 unsigned long read_count,
                 char const* const* missed, ///< files that the search did not find
                 unsigned long missed_count);
};

struct attune_clang_request {
    char const* text;             ///< may lack a terminating zero
    unsigned long text_size;      ///< bytes
    unsigned long kernel_size;    ///< leading bytes of `text` that are the kernel file
    char const* path;             ///< name in messages; quoted includes are relative to it
    char const* const* arguments; ///< of the clang driver, without the variant's macros
    unsigned long argument_count;
    char const* const* macros; ///< "-DNAME=VALUE"
    unsigned long macro_count;
    double limit_s;      ///< wall seconds; after them the compilation ends with stage 1
    char const* entry;   ///< symbol to look up
    char const* overlay; ///< text of <attune/tunable.hpp>
    char const* views;   ///< text of <attune/matrix_view.hpp>
    int precompile;      ///< not 0: reuse the parsed headers of the kernel between variants
    int here;            ///< not 0: compile in this process, not in the compile server
    int (*is_cut)();     ///< returns not 0 to end the job; the module calls it during the job
    void (*hold_forks)(int begin); ///< called with 1 before LLVM works in this process, 0 after it
    attune_clang_keeper const* keeper; ///< stores parsed headers; may be null
    char const* const* libraries;      ///< paths; searched for symbols that the process lacks
    unsigned long library_count;
    char const* surroundings; ///< another text if the environment or the folder changes the code
};

/// The result of a request, which owns all texts.
struct attune_clang_reply {
    int stage; ///< 0: loaded; 1: did not compile; 2: did not load; 3: needs the system's linker;
               ///< 4: the compile server is unreachable now; 5: needs the system's linker if the
               ///< program may fork, otherwise load_object() can load it
    void* address;   ///< of the entry
    void* code;      ///< for release_code(); null if nothing was loaded
    char const* log; ///< messages; at stages 3 and 4 the reason: "it has thread_local variables"
    unsigned char const* object; ///< the relocatable object
    unsigned long object_size;   ///< bytes
    int precompiled;             ///< 1 if parsed headers were reused for this variant
    char const* const* read;     ///< every file that the object depends on, absolute paths
    unsigned long read_count;
    char const* const* missed; ///< files that the search did not find, absolute paths
    unsigned long missed_count;
    char const* folder; ///< the current folder, if a relative path was searched; else empty
    int unlisted;       ///< 1: the object depends on more than `read` and `missed`
    long spills; ///< of compile(): stores to the stack because no register was free; -1: unknown
    long vector_instructions; ///< of compile(): in the optimised intermediate code; -1: unknown
};

/// The module's functions. None throws; all may be called from several threads.
struct attune_clang_functions {
    unsigned abi_version; ///< attune_clang_abi_version of the module
    int major;            ///< of clang
    char const* version;  ///< "19.1.7"
    /// Opens a session. Returns null on failure, with the reason in `problem` (`size` bytes,
    /// zero-terminated).
    void* (*open_session)(char* problem, unsigned long size);
    void (*close_session)(void* session);
    char const* (*processor)(void* session); ///< "cpu=znver4 features=0123456789abcdef"
    attune_clang_reply* (*compile)(void* session, attune_clang_request const* request);
    void (*free_reply)(attune_clang_reply* reply);
    void (*release_code)(void* session, void* code);
    /// Loads an object that compile() made, in this or another process.
    /// @param must_load  not 0: loads also an object whose stage would be 5
    attune_clang_reply* (*load_object)(void* session, unsigned char const* object,
                                       unsigned long size, char const* entry,
                                       char const* const* libraries, unsigned long library_count,
                                       int must_load);
    /// Paths of the shared libraries that hold Clang and LLVM, each followed by a line end.
    char const* (*toolchain)(void* session);
    /// Destroys the static objects of loaded code. The code stays until release_code().
    void (*end_code)(void* session, void* code);
};

/// The only exported symbol of the module.
attune_clang_functions const* attune_clang_module();
}

/// Increase it with each change of a structure above.
inline constexpr unsigned attune_clang_abi_version = 8;
