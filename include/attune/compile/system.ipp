// attune/compile/system.ipp - runs the compiler, loads and unloads its shared objects.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/detail/facts.hpp>
#include <attune/compile/system/detail/inputs.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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
        throw error("the compiler '" + options.command + "' was not found", "PATH",
                    "install it (Debian, Ubuntu: apt install g++) or name another one in "
                    "attune::system_options::command");
    }

    [[nodiscard]] std::string key_of(detail::system_facts const& known, kernel_source const& kernel,
                                     compile_request const& v) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        return detail::request_key(known.is_clang ? "system shared object with frames"
                                                  : "system shared object",
                                   known.identity + known.without + known.toolchain, all, v);
    }

    /// Returns false if the cache is off. The facts for the cache are then not needed.
    [[nodiscard]] bool has_cache() const { return cache.statistics().off_because.empty(); }

    /// The facts of the compiler now: the compiler, its flags or the files in them may have
    /// changed.
    /// Errors   attune::error: the compiler does not exist and the cache has no facts
    [[nodiscard]] detail::system_facts known_facts();
    /// Runs the compiler to find its facts.
    [[nodiscard]] detail::system_facts ask(std::string const& program,
                                           std::vector<std::string> const& flags) const;
    /// The folders in which the compiler searches for headers. Runs it once for equal flags.
    /// @param flags  of the compiler, the kernel and the variant, without those of libraries
    [[nodiscard]] detail::header_folders header_folders_of(detail::system_facts const& known,
                                                           kernel_source const& kernel,
                                                           compile_request const& v,
                                                           std::vector<std::string> const& flags);

    /// The code from the cache; empty if it is not there.
    [[nodiscard]] std::optional<callable> kept(detail::system_facts const& known,
                                               kernel_source const& kernel,
                                               compile_request const& v, bool counted) const;

    system_options options;
    detail::object_cache cache;
    detail::fork_safe_mutex mutex{};
    std::optional<detail::system_facts> facts{};
    std::string asked{}; ///< program and flags of `facts`
    std::map<std::string, detail::header_folders> folders{};
};

ATTUNE_INLINE system_compiler::system_compiler(system_options options)
    : state_(std::make_shared<state>(std::move(options)))
{
}

ATTUNE_INLINE std::string system_compiler::missing() const
{
    if (!detail::find_program(state_->options.command).empty()) return {};
    return "the compiler '" + state_->options.command + "' is not in PATH";
}

ATTUNE_INLINE detail::system_facts
system_compiler::state::ask(std::string const& program, std::vector<std::string> const& flags) const
{
    detail::system_facts out;
    std::string said_version = detail::answer_of({options.command, "--version"}, options.limit_s);
    out.is_clang = said_version.find("clang") != std::string::npos;
    said_version.resize(std::min(said_version.find('\n'), said_version.size()));
    std::vector<std::string> ask{options.command};
    ask.insert(ask.end(), flags.begin(), flags.end());
    ask.insert(ask.end(), {"-dM", "-E", "-x", "c++", "/dev/null"});
    // The predefined macros show the meaning of -march=native on this machine.
    std::string const macros = detail::answer_of(ask, options.limit_s);
    if (std::find(flags.begin(), flags.end(), "-march=native") != flags.end())
        out.without = detail::flags_without(macros);
    out.identity = said_version + detail::joined(options.flags) + out.without +
                   " cpu=" + detail::processor_name() +
                   " target=" + detail::content_hash{}.add(macros).hex().substr(0, 12);
    std::set<std::string> tools{program};
    if (!has_cache()) {
        out.tools = {program};
        out.toolchain = detail::hash_of_tools(out.tools);
        return out;
    }
    for (char const* const name : {"cc1plus", "collect2", "as", "ld"}) {
        std::string const tool = detail::program_of(options.command, name, options.limit_s);
        if (tool.empty()) continue;
        tools.insert(tool);
        auto const tells = [&](char const* flag) {
            return detail::run_process({tool, "--help"}, options.limit_s).output.find(flag) !=
                   std::string::npos;
        };
        if (std::string_view(name) == "as") out.tells_assembled = !out.is_clang && tells("--MD");
        if (std::string_view(name) == "ld") out.tells_linked = tells("--dependency-file");
    }
    for (std::string const& tool : std::set<std::string>(tools))
        for (std::string& library : detail::libraries_of_program(tool, options.limit_s))
            tools.insert(std::move(library));
    out.tools.assign(tools.begin(), tools.end());
    out.toolchain = detail::hash_of_tools(out.tools);
    return out;
}

ATTUNE_INLINE detail::system_facts system_compiler::state::known_facts()
{
    std::lock_guard const lock(mutex);
    std::error_code no_throw;
    std::string program = detail::find_program(options.command);
    if (!program.empty()) program = std::filesystem::absolute(program, no_throw).string();
    std::vector<std::string> const flags = detail::expanded_flags(options.flags);
    std::string const now = program + detail::joined(flags);
    bool const is_gone = program.empty(); // code in the cache remains usable
    if (facts && asked == now &&
        (is_gone || detail::hash_of_tools(facts->tools) == facts->toolchain))
        return *facts;
    auto const key_of = [&](char const* kind, std::string const& which) {
        detail::content_hash key;
        key.add(kind).add(which).add(detail::processor_facts());
        for (std::string const& flag : flags)
            key.add(flag);
        return key.hex();
    };
    std::string const latest = key_of("latest system compiler", options.command);
    std::string const this_one = key_of("system compiler and its tools", program);
    std::optional<detail::system_facts> found;
    if (auto const kept = cache.look(is_gone ? latest : this_one))
        found = detail::system_facts_in(kept->bytes);
    if (found && !is_gone && detail::hash_of_tools(found->tools) != found->toolchain) found.reset();
    if (!found) {
        require_command();
        found = ask(program, flags);
        (void)cache.add(this_one, found->text(), detail::cache_inputs{.tools = found->tools});
        (void)cache.add(latest, found->text(), detail::cache_inputs{});
    }
    asked = now;
    facts = std::move(found);
    return *facts;
}

ATTUNE_INLINE detail::header_folders
system_compiler::state::header_folders_of(detail::system_facts const& known,
                                          kernel_source const& kernel, compile_request const& v,
                                          std::vector<std::string> const& flags)
{
    std::vector<std::string> command{options.command, "-iquote", detail::folder_of(kernel.path)};
    command.insert(command.end(), flags.begin(), flags.end());
    for (std::string const& dir : kernel.include_dirs)
        command.push_back("-I" + dir);
    command.insert(command.end(), {"-v", "-E", "-x", "c++", "/dev/null"});
    detail::content_hash hash;
    std::error_code no_throw;
    hash.add(known.toolchain).add(detail::surroundings_of(kernel, v));
    hash.add(std::filesystem::current_path(no_throw).string());
    for (std::string const& word : command)
        hash.add(word);
    std::string const key = hash.hex();
    std::lock_guard const lock(mutex);
    if (auto const found = folders.find(key); found != folders.end() && found->second.holds())
        return found->second;
    detail::process_result const said = detail::run_process(command, options.limit_s);
    detail::header_folders made =
        said.succeeded() ? detail::header_folders_in(said.output) : detail::header_folders{};
    constexpr std::size_t most = 1000;
    if (folders.size() > most) folders.clear();
    return folders[key] = std::move(made);
}

ATTUNE_INLINE std::string system_compiler::identity() const
{
    detail::own_float_environment const numbers;
    return state_->known_facts().identity;
}

ATTUNE_INLINE std::vector<std::string_view> system_compiler::code_quantities() const
{
    detail::own_float_environment const numbers;
    std::vector<std::string_view> out{"code_bytes"};
    if (!was_used() || state_->known_facts().is_clang) out.emplace_back("stack_bytes");
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

ATTUNE_INLINE std::optional<callable>
system_compiler::state::kept(detail::system_facts const& known, kernel_source const& kernel,
                             compile_request const& v, bool counted) const
{
    using clock = std::chrono::steady_clock;
    clock::time_point const start = clock::now();
    if (!options.debug_folder.empty()) return {};
    std::string const key = key_of(known, kernel, v);
    std::optional<detail::cached_bytes> const found = counted ? cache.find(key) : cache.look(key);
    if (!found) return {};
    std::string problem;
    detail::shared_code code = detail::load_shared_code(found->bytes, problem);
    if (!code.code) return {};
    callable made;
    made.address = code.address;
    made.code = std::move(code.code);
    made.object_key = detail::key_with_callees(
        detail::object_key(found->bytes), detail::outside_names(found->bytes), {}, code.handle);
    made.size = detail::size_of_code(found->bytes);
    made.compiler = known.identity + detail::joined(kernel.flags) + detail::joined(v.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    made.from_cache = true;
    return made;
}

ATTUNE_INLINE std::optional<callable> system_compiler::find_winner(kernel_source const& kernel,
                                                                   compile_request const& v) const
{
    detail::own_float_environment const numbers;
    return state_->kept(state_->known_facts(), kernel, v, false);
}

ATTUNE_INLINE bool system_compiler::keep_winner(kernel_source const& kernel,
                                                compile_request const& v) const
{
    detail::own_float_environment const numbers;
    return state_->options.debug_folder.empty() &&
           state_->cache.look(state_->key_of(state_->known_facts(), kernel, v)).has_value();
}

ATTUNE_INLINE cache_statistics system_compiler::statistics() const
{
    return state_->cache.statistics();
}

ATTUNE_INLINE compile_result system_compiler::compile(kernel_source const& kernel,
                                                      compile_request const& v) const
{
    detail::own_float_environment const numbers;
    using clock = std::chrono::steady_clock;
    detail::require_free_loader();
    detail::system_facts const known = state_->known_facts();
    clock::time_point const start = clock::now();
    system_options const& options = state_->options;
    if (std::optional<callable> found = state_->kept(known, kernel, v, true))
        return std::move(*found);
    state_->require_command();

    detail::temporary_folder const folder;
    std::string const source = folder.write("kernel.cpp", "#line 1 " + detail::quoted(kernel.path) +
                                                              '\n' + translation_unit(kernel, v));
    (void)folder.write("overlay/attune/tunable.hpp", detail::tunable_overlay);
    (void)folder.write("overlay/attune/matrix_view.hpp", detail::matrix_view_overlay);
    std::string const object = folder.path() + "/variant.so";

    // Before the flags: a header beside the kernel hides a header in a folder that a flag names.
    std::vector<std::string> command{options.command, "-iquote", detail::folder_of(kernel.path)};
    auto const append = [&](std::vector<std::string> const& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    std::vector<std::string> flags = options.flags;
    flags.insert(flags.end(), kernel.flags.begin(), kernel.flags.end());
    flags.insert(flags.end(), v.flags.begin(), v.flags.end());
    for (std::string& flag : detail::split_flags(known.without))
        flags.push_back(std::move(flag));
    flags = detail::expanded_flags(flags);
    std::vector<std::string> const all_flags = flags;
    // A linker may skip a library before the object that needs it.
    detail::library_flags const libraries = detail::take_library_flags(flags);
    append(flags);
    if (!options.debug_folder.empty()) command.emplace_back("-g");
    append(macro_flags(v));
    command.emplace_back(detail::variant_flag);
    append({"-I" + folder.path() + "/overlay"});
    for (std::string const& dir : kernel.include_dirs)
        command.push_back("-I" + dir);
    append({"-shared", "-fPIC", "-fvisibility=hidden", "-fdiagnostics-color=never",
            "-ffile-prefix-map=" + folder.path() + "=.", "-Wl,--build-id=none",
            "-Wl,-Bsymbolic-functions"});
    // Unique symbols would prevent unloading; clang does not emit them.
    command.emplace_back(known.is_clang ? detail::frame_sizes_flag : "-fno-gnu-unique");
    std::string const rule = folder.path() + "/rule";
    auto const has = [&](std::string_view prefix) {
        return std::any_of(all_flags.begin(), all_flags.end(),
                           [&](std::string const& flag) { return flag.starts_with(prefix); });
    };
    bool const is_kept = options.debug_folder.empty() && state_->has_cache() &&
                         !detail::tells_the_time(translation_unit(kernel, v)) &&
                         !detail::tells_the_time(detail::joined(command));
    bool const tells_assembled = known.tells_assembled && !has("-flto");
    // -Wa,... and -Wl,... end a path at its first comma.
    if (is_kept && tells_assembled) append({"-Xassembler", "--MD", "-Xassembler", rule + ".as"});
    if (is_kept && known.tells_linked && !has("-fuse-ld"))
        append({"-Xlinker", "--dependency-file=" + rule + ".ld"});
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
    if (is_kept && files) {
        detail::system_run const told{
            .own = folder.path(),
            .compiler_rule = *files,
            .assembler_rule = detail::file_text(rule + ".as").value_or(std::string{}),
            .linker_rule = detail::file_text(rule + ".ld").value_or(std::string{}),
            .folders = state_->header_folders_of(known, kernel, v, flags),
            .flags = all_flags,
            .assembles_itself = !tells_assembled,
            .began_ns = began_ns};
        (void)state_->cache.add(state_->key_of(known, kernel, v), *bytes,
                                detail::system_inputs_finder(kernel, told).find());
    }
    detail::shared_code loaded =
        options.debug_folder.empty()
            ? detail::load_shared_code(*bytes, problem)
            : detail::load_shared_file(detail::write_named_object(options.debug_folder,
                                                                  detail::file_name_of(v), key,
                                                                  *bytes),
                                       *bytes, problem);
    if (loaded.code == nullptr) {
        if (!options.debug_folder.empty() &&
            problem.find("failed to map segment") != std::string::npos)
            throw error("compiled code may not be executed where it was written",
                        options.debug_folder,
                        "set debug_folder to a folder of a file system without noexec");
        return detail::load_failure(std::move(problem));
    }
    callable made;
    made.code = std::move(loaded.code);
    made.address = loaded.address;
    made.object_key =
        detail::key_with_callees(key, detail::outside_names(*bytes), {}, loaded.handle);
    made.size = detail::size_of_code(*bytes);
    made.compiler = known.identity + detail::joined(kernel.flags) + detail::joined(v.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    return made;
}

} // namespace attune::inline ATTUNE_ABI
