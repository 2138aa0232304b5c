// attune/compile/clang.ipp - finds and opens the Clang module, and speaks to it.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       kernel source and one variant
// Out      the definitions of clang.hpp; included by exactly one translation unit
// Source   own
// Depends  std, POSIX (dlopen)
// Tests    tests/compile/clang.cpp
#pragma once

#include <attune/compile/clang.hpp>
#include <attune/compile/clang_abi.hpp>
#include <attune/compile/system.ipp>

#include <array>

namespace attune {

namespace detail {

/// The opened module with one session in it. Every callable shares it, so that code outlives the
/// compiler. The module itself is never unloaded: LLVM does not survive that.
struct clang_session {
    attune_clang_functions const* functions{};
    void* session{};

    clang_session() = default;
    clang_session(clang_session const&) = delete;
    clang_session& operator=(clang_session const&) = delete;
    ~clang_session()
    {
        if (session != nullptr) functions->close_session(session);
    }
};

[[nodiscard]] inline std::vector<std::string> clang_module_places(std::string const& wanted)
{
    std::vector<std::string> places;
    if (!wanted.empty()) return {wanted};
    if (char const* const variable = std::getenv("ATTUNE_CLANG_MODULE"))
        if (*variable != '\0') return {variable};
#ifdef ATTUNE_CLANG_MODULE
    places.emplace_back(ATTUNE_CLANG_MODULE);
#endif
    std::error_code no_throw;
    std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", no_throw);
    if (!no_throw) places.push_back((program.parent_path() / "libattune_clang.so").string());
    places.emplace_back("libattune_clang.so");
    return places;
}

/// @return null, with the reason in `problem`, when the file is no usable module
[[nodiscard]] inline std::shared_ptr<clang_session const> open_clang_module(std::string const& path,
                                                                            std::string& problem)
{
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
        char const* const text = ::dlerror();
        problem = text != nullptr ? text : path + " cannot be opened";
        return nullptr;
    }
    auto const module = reinterpret_cast<attune_clang_functions const* (*)()>(
        ::dlsym(handle, "attune_clang_module"));
    auto session = std::make_shared<clang_session>();
    session->functions = module != nullptr ? module() : nullptr;
    if (session->functions == nullptr ||
        session->functions->abi_version != attune_clang_abi_version) {
        problem = path + " belongs to another version of attune";
        return nullptr;
    }
    std::array<char, 512> why{};
    session->session = session->functions->open_session(why.data(), why.size());
    if (session->session == nullptr) {
        problem = path + ": " + why.data();
        return nullptr;
    }
    return session;
}

[[nodiscard]] inline std::vector<char const*> c_strings(std::vector<std::string> const& texts)
{
    std::vector<char const*> pointers;
    for (std::string const& text : texts)
        pointers.push_back(text.c_str());
    return pointers;
}

} // namespace detail

struct clang_compiler::state {
    explicit state(clang_options given)
        : options(std::move(given))
    {
        options.system.flags = options.flags;
        options.system.limit_s = options.limit_s;
    }

    /// Opens the module, or settles on the fallback. Runs once; may throw, and then runs again.
    void open()
    {
        std::string tried;
        for (std::string const& place : detail::clang_module_places(options.module)) {
            std::string problem;
            session = detail::open_clang_module(place, problem);
            if (session) return;
            tried += (tried.empty() ? "" : "; ") + problem;
        }
        system_compiler const other(options.system);
        std::string const lacking = other.unavailable();
        if (!options.fallback || !lacking.empty())
            throw error("no compiler for kernels: the module libattune_clang.so cannot be used" +
                            (options.fallback ? ", and " + lacking : std::string{}),
                        tried,
                        "build attune with LLVM and Clang (Debian: apt install llvm-19-dev "
                        "libclang-19-dev libclang-cpp19-dev), set ATTUNE_CLANG_MODULE to the path "
                        "of the module, or install a C++ compiler (apt install g++)");
        fallback = std::make_unique<system_compiler>(other);
        notice = "the module libattune_clang.so cannot be used (" + tried +
                 "); kernels are compiled by '" + options.system.command +
                 "' instead, which takes longer per variant";
    }

    clang_options options;
    std::once_flag opened{};
    std::shared_ptr<detail::clang_session const> session{};
    std::unique_ptr<system_compiler> fallback{};
    std::string notice{};
};

clang_compiler::clang_compiler(clang_options options)
    : state_(std::make_shared<state>(std::move(options)))
{
}

std::string clang_compiler::notice() const
{
    std::call_once(state_->opened, &state::open, state_.get());
    return state_->notice;
}

std::string clang_compiler::identity() const
{
    std::call_once(state_->opened, &state::open, state_.get());
    if (state_->fallback) return state_->fallback->identity();
    detail::clang_session const& s = *state_->session;
    return "clang " + std::string(s.functions->version) + detail::joined(state_->options.flags) +
           ' ' + s.functions->processor(s.session);
}

compile_result clang_compiler::compile(kernel_source const& kernel, variant const& v) const
{
    using clock = std::chrono::steady_clock;
    std::string const who = identity();
    if (state_->fallback) return state_->fallback->compile(kernel, v);
    clock::time_point const start = clock::now();
    std::shared_ptr<detail::clang_session const> const session = state_->session;
    attune_clang_functions const& functions = *session->functions;

    std::vector<std::string> arguments = state_->options.flags;
    arguments.insert(arguments.end(), kernel.flags.begin(), kernel.flags.end());
    for (std::string const& dir : kernel.include_dirs)
        arguments.push_back("-I" + dir);
    arguments.emplace_back(variant_flag);
    std::vector<std::string> const macros = macro_flags(v);
    std::vector<char const*> const argument_list = detail::c_strings(arguments);
    std::vector<char const*> const macro_list = detail::c_strings(macros);
    std::string const text = translation_unit(kernel, v);
    attune_clang_request const request{text.data(),
                                       text.size(),
                                       kernel.text.size(),
                                       kernel.path.c_str(),
                                       argument_list.data(),
                                       argument_list.size(),
                                       macro_list.data(),
                                       macro_list.size(),
                                       state_->options.limit_s,
                                       entry_symbol,
                                       tunable_overlay,
                                       state_->options.precompile_headers ? 1 : 0};
    std::unique_ptr<attune_clang_reply, void (*)(attune_clang_reply*)> const reply(
        functions.compile(session->session, &request), functions.free_reply);
    if (!reply) throw error("the Clang module is out of memory", {}, {});
    if (reply->stage == 1) return detail::compile_failure(reply->log, functions.major);
    if (reply->stage != 0) return detail::load_failure(reply->log);

    callable made;
    made.address = reply->address;
    made.code = std::shared_ptr<void const>(reply->code, [session](void const* code) {
        session->functions->release_code(session->session, const_cast<void*>(code));
    });
    made.object_key = content_hash{}
                          .add({reinterpret_cast<char const*>(reply->object), reply->object_size})
                          .hex();
    made.compiler = who + detail::joined(kernel.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    return made;
}

} // namespace attune
