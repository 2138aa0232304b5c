// attune/compile/system.ipp - runs the compiler, loads and unloads its shared objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/cache/request_key.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/detail/load_failure.hpp>
#include <attune/compile/detail/processor.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/matrix_view_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/code_size.hpp>
#include <attune/compile/system/detail/inputs.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/processor.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>

namespace attune::inline ATTUNE_ABI {

struct system_compiler::state {
    explicit state(system_options given)
        : options(std::move(given))
        , cache(options.cache)
    {
    }

    void require_command() const
    {
        if (!detail::find_program(options.command).empty()) return;
        throw error("the compiler '" + options.command + "' was not found",
                    "PATH",
                    "install it (Debian, Ubuntu: apt install g++) or name another one in "
                    "attune::system_options::command");
    }

    [[nodiscard]] std::string
    key_of(std::string const& compiler, kernel_source const& kernel, compile_request const& v) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        return detail::request_key(is_clang ? "system shared object with frames"
                                            : "system shared object",
                                   compiler,
                                   all,
                                   v);
    }

    /// The code from the cache; empty when it is not there.
    [[nodiscard]] std::optional<callable> kept(std::string const& compiler,
                                               kernel_source const& kernel,
                                               compile_request const& v,
                                               bool counted) const;

    system_options options;
    detail::object_cache cache;
    detail::fork_safe_mutex mutex{};
    std::string identity{}; ///< empty until identity() is called
    bool is_clang = false;
};

namespace detail {

/// The model name of the processor.
[[nodiscard]] inline std::string processor_name()
{
    for (std::string const& line : processor_lines())
        if (line.starts_with("model name") || line.starts_with("CPU part"))
            return std::string(processor_value(line));
    return "unknown";
}

/// The output of a compiler that is run to identify itself.
/// Errors   attune::error: the compiler failed, printed nothing or took too long. Such an output
///          must not be kept as its identity
[[nodiscard]] inline std::string answer_of(std::vector<std::string> const& question, double limit_s)
{
    process_result said = run_process(question, limit_s);
    if (said.succeeded() && !said.output.empty()) return std::move(said.output);
    std::string how = "it said nothing";
    if (said.timed_out)
        how = "no answer within " + std::to_string(static_cast<long>(limit_s)) +
              " s, see system_options::limit_s";
    else if (said.signal != 0)
        how = "signal " + std::to_string(said.signal) + " ended it";
    else if (!said.succeeded())
        how = "exit status " + std::to_string(said.exit_status);
    if (std::string const first = first_error(said.output); !first.empty()) how += ": " + first;
    throw error("the compiler '" + question.front() + "' does not say what it is",
                joined(question).substr(1) + " (" + how + ")",
                "run that command in a shell; nothing of this is kept, and the next call asks "
                "again");
}

} // namespace detail

ATTUNE_INLINE system_compiler::system_compiler(system_options options)
    : state_(std::make_shared<state>(std::move(options)))
{
}

ATTUNE_INLINE std::string system_compiler::missing() const
{
    if (!detail::find_program(state_->options.command).empty()) return {};
    return "the compiler '" + state_->options.command + "' is not in PATH";
}

ATTUNE_INLINE std::string system_compiler::identity() const
{
    std::lock_guard const lock(state_->mutex);
    if (!state_->identity.empty()) return state_->identity;
    system_options const& options = state_->options;
    // If the compiler no longer exists, the cache may still have its code.
    detail::content_hash latest;
    latest.add("latest system compiler").add(options.command).add(detail::processor_facts());
    for (std::string const& flag : options.flags)
        latest.add(flag);
    std::string const latest_key = latest.hex();
    if (!missing().empty())
        if (auto const kept = state_->cache.look(latest_key); kept && !kept->bytes.empty()) {
            state_->is_clang = kept->bytes.front() == 'c';
            return state_->identity = kept->bytes.substr(1);
        }
    state_->require_command();
    std::string const program = detail::find_program(options.command);
    detail::content_hash key;
    key.add("system compiler").add(program).add(detail::processor_facts());
    for (std::string const& flag : options.flags)
        key.add(flag);
    if (auto const kept = state_->cache.look(key.hex()); kept && kept->bytes.size() > 1) {
        state_->is_clang = kept->bytes.front() == 'c';
        return state_->identity = kept->bytes.substr(1);
    }
    std::string said_version = detail::answer_of({options.command, "--version"}, options.limit_s);
    bool const is_clang = said_version.find("clang") != std::string::npos;
    said_version.resize(std::min(said_version.find('\n'), said_version.size()));
    std::vector<std::string> ask{options.command};
    ask.insert(ask.end(), options.flags.begin(), options.flags.end());
    ask.insert(ask.end(), {"-dM", "-E", "-x", "c++", "/dev/null"});
    // The predefined macros show what -march=native means on this machine.
    std::string const target =
        detail::content_hash{}.add(detail::answer_of(ask, options.limit_s)).hex().substr(0, 12);
    state_->is_clang = is_clang;
    state_->identity = said_version + detail::joined(options.flags) +
                       " cpu=" + detail::processor_name() + " target=" + target;
    std::error_code no_throw;
    (void)state_->cache.add(
        key.hex(),
        (state_->is_clang ? 'c' : 'g') + state_->identity,
        detail::cache_inputs{{}, {}, {std::filesystem::absolute(program, no_throw).string()}, 0});
    (void)state_->cache.add(
        latest_key, (state_->is_clang ? 'c' : 'g') + state_->identity, detail::cache_inputs{});
    return state_->identity;
}

ATTUNE_INLINE std::vector<std::string_view> system_compiler::code_quantities() const
{
    std::vector<std::string_view> out{"code_bytes"};
    if (!was_used() || state_->is_clang) out.emplace_back("stack_bytes");
    return out;
}

ATTUNE_INLINE bool system_compiler::was_used() const
{
    try {
        return !identity().empty();
    } catch (error const&) {
        return false;
    }
}

ATTUNE_INLINE std::optional<callable> system_compiler::state::kept(std::string const& compiler,
                                                                   kernel_source const& kernel,
                                                                   compile_request const& v,
                                                                   bool counted) const
{
    using clock = std::chrono::steady_clock;
    clock::time_point const start = clock::now();
    if (!options.debug_folder.empty()) return {};
    std::string const key = key_of(compiler, kernel, v);
    std::optional<detail::cached_bytes> const found = counted ? cache.find(key) : cache.look(key);
    if (!found) return {};
    std::string problem;
    detail::shared_code code = detail::load_shared_code(found->bytes, problem);
    if (!code.code) return {};
    callable made;
    made.address = code.address;
    made.code = std::move(code.code);
    made.object_key = detail::object_key(found->bytes);
    made.size = detail::size_of_code(found->bytes);
    made.compiler = compiler + detail::joined(kernel.flags) + detail::joined(v.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    made.from_cache = true;
    return made;
}

ATTUNE_INLINE std::optional<callable> system_compiler::find_winner(kernel_source const& kernel,
                                                                   compile_request const& v) const
{
    return state_->kept(identity(), kernel, v, false);
}

ATTUNE_INLINE bool system_compiler::keep_winner(kernel_source const& kernel,
                                                compile_request const& v) const
{
    return state_->options.debug_folder.empty() &&
           state_->cache.look(state_->key_of(identity(), kernel, v)).has_value();
}

ATTUNE_INLINE cache_statistics system_compiler::statistics() const
{
    return state_->cache.statistics();
}

ATTUNE_INLINE compile_result system_compiler::compile(kernel_source const& kernel,
                                                      compile_request const& v) const
{
    using clock = std::chrono::steady_clock;
    std::string const compiler = identity();
    clock::time_point const start = clock::now();
    system_options const& options = state_->options;
    if (std::optional<callable> found = state_->kept(compiler, kernel, v, true))
        return std::move(*found);
    state_->require_command();

    detail::temporary_folder const folder;
    std::string const source =
        folder.write("kernel.cpp",
                     "#line 1 " + detail::quoted(kernel.path) + '\n' + translation_unit(kernel, v));
    (void)folder.write("overlay/attune/tunable.hpp", detail::tunable_overlay);
    (void)folder.write("overlay/attune/matrix_view.hpp", detail::matrix_view_overlay);
    std::string const object = folder.path() + "/variant.so";

    std::vector<std::string> command{options.command};
    auto const append = [&](std::vector<std::string> const& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    std::vector<std::string> flags = options.flags;
    flags.insert(flags.end(), kernel.flags.begin(), kernel.flags.end());
    flags.insert(flags.end(), v.flags.begin(), v.flags.end());
    // A linker may skip a library that precedes the object that needs it.
    detail::library_flags const libraries = detail::take_library_flags(flags);
    append(flags);
    if (!options.debug_folder.empty()) command.emplace_back("-g");
    append(macro_flags(v));
    command.emplace_back(detail::variant_flag);
    append({"-I" + folder.path() + "/overlay", "-iquote", detail::folder_of(kernel.path)});
    for (std::string const& dir : kernel.include_dirs)
        command.push_back("-I" + dir);
    append({"-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-fdiagnostics-color=never",
            "-ffile-prefix-map=" + folder.path() + "=.",
            "-Wl,--build-id=none",
            "-Wl,-Bsymbolic-functions"});
    // Unique symbols would prevent unloading; clang does not emit them.
    command.emplace_back(state_->is_clang ? detail::frame_sizes_flag : "-fno-gnu-unique");
    std::string const rule = folder.path() + "/rule";
    append({"-MD", "-MF", rule, "-o", object, "-x", "c++", source});
    append(detail::linker_flags(libraries));
    std::int64_t const began_ns = detail::system_clock_ns();

    detail::process_result run = detail::run_process(command, options.limit_s, folder.path());
    if (run.timed_out)
        return failure{failure_stage::compile,
                       detail::took_too_long(v.function, options.limit_s, "system_options"),
                       std::move(run.output)};
    std::optional<std::string> const bytes = detail::file_text(object);
    if (!run.succeeded() || !bytes) return detail::compile_failure(std::move(run.output));

    std::string problem;
    std::string const key = detail::object_key(*bytes);
    std::optional<std::string> const files = detail::file_text(rule);
    if (options.debug_folder.empty() && files && !detail::tells_the_time(kernel.text))
        (void)state_->cache.add(state_->key_of(compiler, kernel, v),
                                *bytes,
                                detail::system_inputs(*files, kernel, folder.path(), began_ns));
    std::string const place = options.debug_folder.empty()
                                  ? object
                                  : detail::write_named_object(
                                        options.debug_folder, detail::file_name_of(v), key, *bytes);
    detail::shared_code loaded = detail::load_shared_file(place, *bytes, problem);
    if (loaded.code == nullptr) {
        if (problem.find("failed to map segment") != std::string::npos)
            throw error("compiled code may not be executed where it was written",
                        folder.path(),
                        "set TMPDIR to a folder of a file system that is not mounted noexec");
        return detail::load_failure(std::move(problem));
    }
    callable made;
    made.code = std::move(loaded.code);
    made.address = loaded.address;
    made.object_key = key;
    made.size = detail::size_of_code(*bytes);
    made.compiler = compiler + detail::joined(kernel.flags) + detail::joined(v.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    return made;
}

} // namespace attune::inline ATTUNE_ABI
