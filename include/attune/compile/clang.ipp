// attune/compile/clang.ipp - compiles with the Clang module, or loads from the cache.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/detail/input_list.hpp>
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/clang/detail/module_reply.hpp>
#include <attune/compile/clang/detail/module_session.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/error.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Kind of cache entries with objects. A new form of the entry needs a new kind.
inline constexpr char const* object_kind = "object with frames, counts and facts";
/// Kind of cache entries with winners. The paths of the libraries follow it, because they are in
/// the shared object.
inline constexpr char const* winner_kind = "shared object with facts and outside names";

/// A winner as an entry of the cache: the key of its object, a letter for its facts, a line for
/// each outside symbol of the object, a zero, the shared object.
[[nodiscard]] inline std::string winner_entry(std::string_view object, std::string_view linked)
{
    std::string out = object_key(object) + letter_of(facts_noted_in(object));
    for (std::string const& name : outside_names(object))
        out += name + '\n';
    return out.append(1, '\0').append(linked);
}

struct winner_parts {
    std::string key{};
    code_facts facts{};
    std::vector<std::string> names{};
    std::string_view shared_object{}; ///< of the entry's bytes
};

/// @return  empty if `entry` has another form than that of winner_entry()
[[nodiscard]] inline std::optional<winner_parts> winner_in(std::string_view entry)
{
    std::size_t const end = entry.find('\0');
    std::size_t const names = cache_key_length + 1;
    if (end == entry.npos || end < names) return {};
    winner_parts out{.key = std::string(entry.substr(0, cache_key_length)),
                     .facts = facts_of_letter(entry[cache_key_length]),
                     .shared_object = entry.substr(end + 1)};
    for (std::string_view rest = entry.substr(names, end - names); !rest.empty();) {
        std::size_t const line = std::min(rest.find('\n'), rest.size());
        out.names.emplace_back(rest.substr(0, line));
        rest.remove_prefix(std::min(line + 1, rest.size()));
    }
    return out;
}

/// Between hold_forks(1) and hold_forks(0) on a thread, forks on other threads wait, because a
/// child could not repair LLVM's tables and the unwinder's lock.
inline void hold_forks(int begin)
{
    static thread_local std::optional<fork_delay> now;
    if (begin != 0)
        now.emplace();
    else
        now.reset();
}

/// Returns not 0 if cut_here() throws.
[[nodiscard]] inline int is_cut_here()
{
    try {
        cut_here();
        return 0;
    } catch (cut_short const&) {
        return 1;
    }
}

} // namespace detail

struct clang_compiler::state {
    explicit state(clang_options given)
        : options(std::move(given))
        , cache(options.cache)
    {
        options.system.flags = options.flags;
        options.system.cache = options.cache;
        options.system.limit_s = options.limit_s;
        options.system.debug_folder = options.debug_folder;
        detail::watch_program_end();
    }

    /// Drops the session in a child that was forked while another thread compiled. The session may
    /// be half changed there; the next call opens a new one.
    /// @pre  `lock` is held
    void renew_after_fork()
    {
        if (std::exchange(forks, detail::forks_amid_work()) == detail::forks_amid_work()) return;
        if (session) detail::keep_forever(std::exchange(session, nullptr));
    }

    /// Opens the module, or chooses the fallback. After an exception, the next call tries again.
    void open()
    {
        if (session || fallback || !why_cache_alone.empty()) return;
        std::string tried;
        if (detail::is_privileged_start())
            tried =
                "this program has privileges that its caller lacks, whose variables Clang reads";
        std::vector<std::string> const places = detail::clang_module_places(options.module);
        for (std::size_t i = 0; i < places.size(); ++i) {
            std::string problem;
            session = detail::open_clang_module(places[i], problem);
            if (session) {
                facts = detail::facts_of(*session);
                detail::keep_facts(cache, places, i, *session);
                return;
            }
            tried += (tried.empty() ? "" : "; ") + problem;
        }
        if (detail::is_out_of_descriptors())
            throw error("no descriptor is free", tried,
                        "close files, or raise the limit (ulimit -n); a later call tries again");
        system_compiler const other(options.system);
        std::string const lacking = other.missing();
        if (!options.fallback || !lacking.empty()) {
            if (use_cache_alone(other, tried + (lacking.empty() ? "" : "; " + lacking))) return;
            throw error("no compiler for kernels: the module libattune_clang.so cannot be used" +
                            (options.fallback ? ", and " + lacking : std::string{}),
                        tried,
                        "build attune with LLVM and Clang (Debian: apt install llvm-19-dev "
                        "libclang-19-dev libclang-cpp19-dev), set ATTUNE_CLANG_MODULE to the path "
                        "of the module, or install a C++ compiler (apt install g++)");
        }
        fallback = std::make_unique<system_compiler>(other);
        notice = "the module libattune_clang.so cannot be used (" + tried +
                 "); kernels are compiled by '" + options.system.command +
                 "' instead, which takes longer per variant";
    }

    /// Uses the cached facts of the last module on this machine, so that its code in the cache
    /// stays usable; compile() then throws.
    /// @param reason  the reason why no compiler is usable
    /// @return  false if the cache has no facts and the fallback compiler never ran
    [[nodiscard]] bool use_cache_alone(system_compiler const& other, std::string const& reason)
    {
        if (auto const kept = cache.look(detail::last_facts_key()))
            facts = detail::facts_in(kept->bytes);
        if (!facts && options.fallback && other.was_used())
            fallback = std::make_unique<system_compiler>(other);
        if (!facts && !fallback) return false;
        why_cache_alone = reason;
        notice = "no compiler was found (" + reason +
                 "): what is in the cache serves, and nothing new can be compiled";
        return true;
    }

    /// The module's facts, from the cache if possible, else from the opened module.
    /// @return  empty if the fallback compiles
    [[nodiscard]] std::optional<detail::clang_facts> known_facts()
    {
        detail::work_in_progress const at_work;
        std::lock_guard const one(lock);
        renew_after_fork();
        if (!facts && !fallback) {
            std::vector<std::string> const places = detail::clang_module_places(options.module);
            if (auto const kept = cache.look(detail::facts_key(places)))
                facts = detail::facts_in(kept->bytes);
            if (!facts) open();
        }
        return fallback ? std::optional<detail::clang_facts>{} : facts;
    }

    /// @return  null if the fallback compiles
    [[nodiscard]] std::shared_ptr<detail::clang_session const> session_or_null()
    {
        std::lock_guard const one(lock);
        renew_after_fork();
        open();
        return session;
    }

    [[nodiscard]] std::string identity_of(detail::clang_facts const& known) const
    {
        return "clang " + known.version + detail::joined(options.flags) + ' ' + known.processor;
    }

    [[nodiscard]] std::string key_of(std::string_view kind, detail::clang_facts const& known,
                                     kernel_source const& kernel, compile_request const& v) const
    {
        return detail::request_key(kind, known.text(), with_flags(kernel), v);
    }

    /// The kernel with the compiler's flags before its own.
    [[nodiscard]] kernel_source with_flags(kernel_source const& kernel) const
    {
        kernel_source all = kernel;
        all.flags.insert(all.flags.begin(), options.flags.begin(), options.flags.end());
        if (!options.debug_folder.empty()) all.flags.emplace_back("-g");
        return all;
    }

    /// The flags of the compiler, of the kernel and of the variant.
    [[nodiscard]] std::vector<std::string> flags_of(kernel_source const& kernel,
                                                    compile_request const& v) const
    {
        std::vector<std::string> out = options.flags;
        out.insert(out.end(), kernel.flags.begin(), kernel.flags.end());
        out.insert(out.end(), v.flags.begin(), v.flags.end());
        return detail::expanded_flags(out);
    }

    /// The paths of the libraries that the flags name, or a failure that names a missing one.
    [[nodiscard]] std::variant<std::vector<std::string>, failure>
    libraries_of(kernel_source const& kernel, compile_request const& v) const
    {
        detail::kept_float_environment const kept; // it opens some of them
        std::vector<std::string> flags = flags_of(kernel, v);
        return detail::find_libraries(detail::take_library_flags(flags));
    }

    /// Compiles a variant and keeps its object under `key`.
    [[nodiscard]] compile_result
    compile_anew(std::shared_ptr<detail::clang_session const> const& module, std::string const& key,
                 kernel_source const& kernel, compile_request const& v,
                 std::vector<std::string> const& libraries) const;

    /// The code in a reply of the module, or the failure. The code is a shared object if the module
    /// leaves the object to the system's linker, or if options.debug_folder names a folder.
    /// @param threads  result of thread_ids() before the module loaded the code
    [[nodiscard]] compile_result
    loaded_from(std::shared_ptr<detail::clang_session const> const& module,
                attune_clang_reply const& reply, std::string_view object, code_size const& counts,
                std::vector<long> const& threads, compile_request const& v,
                std::vector<std::string> const& libraries) const;

    clang_options options;
    detail::object_cache cache;
    detail::fork_safe_mutex lock{};
    unsigned forks = detail::forks_amid_work(); ///< its value at the opening of `session`
    std::optional<detail::clang_facts> facts{};
    std::shared_ptr<detail::clang_session const> session{};
    std::unique_ptr<system_compiler> fallback{};
    std::string notice{};
    std::string why_cache_alone{}; ///< the reason why no compiler is usable; else empty
};

ATTUNE_INLINE clang_compiler::clang_compiler(clang_options options)
    : state_(std::make_shared<state>(std::move(options)))
{
}

ATTUNE_INLINE std::string clang_compiler::notice() const
{
    detail::own_float_environment const numbers;
    (void)state_->known_facts();
    std::lock_guard const one(state_->lock);
    return state_->notice;
}

ATTUNE_INLINE std::string clang_compiler::identity() const
{
    detail::own_float_environment const numbers;
    std::optional<detail::clang_facts> const facts = state_->known_facts();
    return facts ? state_->identity_of(*facts) : state_->fallback->identity();
}

ATTUNE_INLINE cache_statistics clang_compiler::statistics() const
{
    std::lock_guard const one(state_->lock);
    return state_->fallback ? state_->fallback->statistics() : state_->cache.statistics();
}

ATTUNE_INLINE compile_result clang_compiler::state::compile_anew(
    std::shared_ptr<detail::clang_session const> const& module, std::string const& key,
    kernel_source const& kernel, compile_request const& v,
    std::vector<std::string> const& libraries) const
{
    attune_clang_functions const& functions = *module->functions;
    std::vector<std::string> arguments = flags_of(kernel, v);
    (void)detail::take_library_flags(arguments); // Clang warns about unused flags of the linker
    if (!options.debug_folder.empty()) arguments.emplace_back("-g");
    for (std::string const& dir : kernel.include_dirs)
        arguments.push_back("-I" + dir);
    arguments.emplace_back(detail::variant_flag);
    arguments.emplace_back(detail::frame_sizes_flag);
    std::vector<std::string> const macros = macro_flags(v);
    std::vector<char const*> const argument_list = detail::c_strings(arguments);
    std::vector<char const*> const macro_list = detail::c_strings(macros);
    std::vector<char const*> const library_list = detail::c_strings(libraries);
    std::string const text = translation_unit(kernel, v);
    std::string const surroundings = detail::surroundings_of(with_flags(kernel), v);
    detail::cache_inputs inputs;
    inputs.began_ns = detail::system_clock_ns();
    detail::clang_facts const compiled_by = detail::facts_of(*module);
    detail::headers_keeper const keeper(cache, compiled_by.text(), inputs.began_ns);
    attune_clang_request const request{text.data(),
                                       text.size(),
                                       kernel.text.size(),
                                       kernel.path.c_str(),
                                       argument_list.data(),
                                       argument_list.size(),
                                       macro_list.data(),
                                       macro_list.size(),
                                       options.limit_s,
                                       entry_symbol,
                                       detail::tunable_overlay,
                                       detail::matrix_view_overlay,
                                       options.precompile_headers ? 1 : 0,
                                       options.separate_process ? 0 : 1,
                                       &detail::is_cut_here,
                                       &detail::hold_forks,
                                       keeper.functions(),
                                       library_list.data(),
                                       library_list.size(),
                                       surroundings.c_str()};
    detail::quiet_writes const quiet; // the keeper writes parsed headers
    std::vector<long> const threads = detail::thread_ids();
    detail::clang_reply const reply(functions.compile(module->session, &request),
                                    functions.free_reply);
    detail::watch_program_end();                        // LLVM may have made new static objects
    if (reply && reply->stage == 1) detail::cut_here(); // perhaps the server's work was cut
    if (!reply) throw error("the Clang module is out of memory", {}, {});
    if (reply->stage == 4)
        throw error("the compile server cannot be reached", reply->log,
                    "close files, or raise the limit that this names (ulimit -n); a later call "
                    "tries again");
    std::string_view const object{reinterpret_cast<char const*>(reply->object), reply->object_size};
    code_size const counts = detail::counts_of(*reply);
    // Another thread may have changed the folder or a variable meanwhile.
    bool const is_known_place = surroundings == detail::surroundings_of(with_flags(kernel), v) &&
                                key == key_of(detail::object_kind, compiled_by, kernel, v);
    if (!object.empty() && is_known_place && !detail::tells_the_time(text) &&
        !detail::tells_the_time(detail::joined(arguments) + detail::joined(macros))) {
        inputs.read.assign(reply->read, reply->read + reply->read_count);
        inputs.missed.assign(reply->missed, reply->missed + reply->missed_count);
        inputs.folder = reply->folder;
        inputs.unlisted = reply->unlisted != 0;
        detail::add_flag_files(flags_of(kernel, v), inputs);
        (void)cache.add(key, detail::counted_object(counts, object), inputs);
    }
    return loaded_from(module, *reply, object, counts, threads, v, libraries);
}

ATTUNE_INLINE compile_result clang_compiler::state::loaded_from(
    std::shared_ptr<detail::clang_session const> const& module, attune_clang_reply const& reply,
    std::string_view object, code_size const& counts, std::vector<long> const& threads,
    compile_request const& v, std::vector<std::string> const& libraries) const
{
    bool const may_unwind = reply.stage == 5;
    compile_result in_memory = failure{};
    if (reply.stage != 3 && !may_unwind) {
        in_memory = detail::code_of(module, reply, object, counts, threads, libraries);
        if (reply.stage != 0 || options.debug_folder.empty()) return in_memory;
    }
    std::string problem;
    std::optional<std::string> linked;
    try {
        linked = detail::link_shared_object(object, libraries, problem);
    } catch (error const&) { // no temporary folder, or no process can be started
        if (!may_unwind) throw;
    }
    detail::shared_code code;
    if (linked && options.debug_folder.empty())
        code = detail::load_shared_code(*linked, problem);
    else if (linked)
        code = detail::load_shared_file(
            detail::write_named_object(options.debug_folder, detail::file_name_of(v),
                                       detail::content_hash{}.add(*linked).hex(), *linked),
            *linked, problem);
    if (problem.starts_with(detail::static_object_threw)) return detail::load_failure(problem);
    if (!code.code && may_unwind) {
        detail::clang_reply const loaded = detail::load_object(*module, object, libraries, true);
        if (loaded->stage == 3) return detail::link_failure(loaded->log, std::move(problem));
        return detail::code_of(module, *loaded, object, counts, threads, libraries);
    }
    if (!code.code)
        return reply.stage == 3 ? detail::link_failure(reply.log, std::move(problem)) : in_memory;
    callable made = detail::described(object, counts, libraries, code.handle);
    made.address = code.address;
    made.code = std::move(code.code);
    return made;
}

ATTUNE_INLINE compile_result clang_compiler::compile(kernel_source const& kernel,
                                                     compile_request const& v) const
{
    detail::own_float_environment const numbers;
    using clock = std::chrono::steady_clock;
    detail::require_free_loader();
    detail::work_in_progress const at_work;
    clock::time_point const start = clock::now();
    std::optional<detail::clang_facts> facts = state_->known_facts();
    std::shared_ptr<detail::clang_session const> const module =
        facts ? state_->session_or_null() : nullptr;
    if (!module && !state_->fallback)
        throw error("no compiler for kernels, and the cache does not have this one",
                    state_->why_cache_alone, "install a C++ compiler (Debian: apt install g++)");
    if (!module) return state_->fallback->compile(kernel, v);

    auto const found = state_->libraries_of(kernel, v);
    if (auto const* missing = std::get_if<failure>(&found)) return *missing;
    auto const& libraries = std::get<std::vector<std::string>>(found);

    std::string const key = state_->key_of(detail::object_kind, *facts, kernel, v);
    std::optional<detail::cached_bytes> const entry = state_->cache.find(key);
    auto const kept = entry ? detail::parts_of(entry->bytes) : std::nullopt;
    compile_result result = failure{};
    if (kept) {
        std::vector<long> const threads = detail::thread_ids();
        detail::clang_reply const reply =
            detail::load_object(*module, kept->object, libraries, false);
        result =
            state_->loaded_from(module, *reply, kept->object, kept->counts, threads, v, libraries);
    } else {
        result = state_->compile_anew(module, key, kernel, v, libraries);
    }
    if (auto* const made = std::get_if<callable>(&result)) {
        made->compiler =
            state_->identity_of(*facts) + detail::joined(kernel.flags) + detail::joined(v.flags);
        made->compile_s = std::chrono::duration<double>(clock::now() - start).count();
        made->from_cache = kept.has_value();
    }
    return result;
}

ATTUNE_INLINE std::optional<callable> clang_compiler::find_winner(kernel_source const& kernel,
                                                                  compile_request const& v) const
{
    detail::own_float_environment const numbers;
    using clock = std::chrono::steady_clock;
    clock::time_point const start = clock::now();
    std::optional<detail::clang_facts> const facts = state_->known_facts();
    if (!facts) return state_->fallback->find_winner(kernel, v);
    if (!state_->options.debug_folder.empty()) return {};
    auto const libraries = state_->libraries_of(kernel, v);
    if (std::holds_alternative<failure>(libraries)) return {};
    std::string const kind = std::string(detail::winner_kind) +
                             detail::joined(std::get<std::vector<std::string>>(libraries));
    auto const entry = state_->cache.look(state_->key_of(kind, *facts, kernel, v));
    auto const kept = entry ? detail::winner_in(entry->bytes) : std::nullopt;
    if (!kept) return {};
    std::string problem;
    detail::shared_code code = detail::load_shared_code(kept->shared_object, problem);
    if (!code.code) return {};
    callable made;
    made.address = code.address;
    made.code = std::move(code.code);
    made.object_key = detail::key_with_callees(kept->key, kept->names, {}, code.handle);
    made.facts = kept->facts;
    made.compiler =
        state_->identity_of(*facts) + detail::joined(kernel.flags) + detail::joined(v.flags);
    made.compile_s = std::chrono::duration<double>(clock::now() - start).count();
    made.from_cache = true;
    return made;
}

ATTUNE_INLINE bool clang_compiler::keep_winner(kernel_source const& kernel,
                                               compile_request const& v) const
{
    detail::own_float_environment const numbers;
    std::optional<detail::clang_facts> const facts = state_->known_facts();
    if (!facts) return state_->fallback->keep_winner(kernel, v);
    auto const entry = state_->cache.look(state_->key_of(detail::object_kind, *facts, kernel, v));
    auto const kept = entry ? detail::parts_of(entry->bytes) : std::nullopt;
    auto const libraries = state_->libraries_of(kernel, v);
    if (!kept || std::holds_alternative<failure>(libraries)) return false;
    try {
        std::string problem;
        std::optional<std::string> const linked = detail::link_shared_object(
            kept->object, std::get<std::vector<std::string>>(libraries), problem);
        std::string const kind = std::string(detail::winner_kind) +
                                 detail::joined(std::get<std::vector<std::string>>(libraries));
        return linked &&
               state_->cache.add(state_->key_of(kind, *facts, kernel, v),
                                 detail::winner_entry(kept->object, *linked), entry->inputs);
    } catch (error const&) {
        return false; // no temporary folder, or no process can be started
    }
}

} // namespace attune::inline ATTUNE_ABI
