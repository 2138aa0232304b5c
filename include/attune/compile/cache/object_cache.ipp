// attune/compile/cache/object_cache.ipp - computes keys; reads, checks and writes entries.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/detail/folder.hpp>
#include <attune/compile/cache/detail/input_list.hpp>
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>

namespace attune::inline ATTUNE_ABI::detail {

/// The variables that GCC, Clang and their linkers read and that may change the code.
inline constexpr std::array<char const*, 22> compiler_variables{
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "OBJCPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "LIBRARY_PATH", // up to here: folders, separated by colons
    "GCC_EXEC_PREFIX",
    "GCC_COMPARE_DEBUG",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "SOURCE_DATE_EPOCH",
    "LD_RUN_PATH",
    "LDEMULATION",
    "GNUTARGET",
    "CCC_OVERRIDE_OPTIONS",
    "CCC_ADD_ARGS",
    "QA_OVERRIDE_GCC3_OPTIONS",
    "CLANG_NO_DEFAULT_CONFIG",
    "CLANG_CONFIG_FILE_USER_DIR",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "SDKROOT"};
inline constexpr std::size_t folder_variables = 7; ///< the first ones; they hold folders

/// Returns true if a list such as "/a:b" has a relative folder; an empty part is the current
/// folder.
[[nodiscard]] inline bool has_relative_folder(std::string_view list)
{
    if (list.empty()) return false;
    for (;;) {
        std::size_t const end = std::min(list.find(':'), list.size());
        if (!list.substr(0, end).starts_with('/')) return true;
        if (end == list.size()) return false;
        list.remove_prefix(end + 1);
    }
}

/// Returns true if the text may name a file in quotes, by a macro or in assembly, not only as
/// <name>.
[[nodiscard]] inline bool may_name_file(std::string_view text)
{
    std::string plain(text);
    for (std::size_t at = 0; (at = plain.find("\\\n", at)) != plain.npos;)
        plain.erase(at, 2);
    if (plain.find("incbin") != plain.npos || plain.find("embed") != plain.npos ||
        plain.find("import") != plain.npos)
        return true;
    constexpr std::string_view word = "include";
    for (std::size_t at = 0; (at = plain.find(word, at)) != plain.npos;) {
        if (at > 0 && plain[at - 1] == '.') return true; // a directive of the assembler
        at += word.size();
        for (std::string_view const next : {"_next", "__"})
            if (plain.compare(at, next.size(), next) == 0) at += next.size();
        while (at < plain.size() &&
               std::string_view(" \t(").find(plain[at]) != std::string_view::npos)
            ++at;
        if (at >= plain.size() || plain[at] != '<') return true;
    }
    return false;
}

/// Returns true if the result may depend on the current folder.
[[nodiscard]] inline bool depends_on_current_folder(kernel_source const& kernel,
                                                    compile_request const& v)
{
    auto const relative = [](std::string const& path) { return !path.starts_with('/'); };
    auto const named = [](std::string const& flag) { return may_hold_path(flag); };
    std::vector<std::string> flags = kernel.flags;
    flags.insert(flags.end(), v.flags.begin(), v.flags.end());
    flags = expanded_flags(flags); // "@file" itself is a relative path
    return std::any_of(kernel.include_dirs.begin(), kernel.include_dirs.end(), relative) ||
           std::any_of(flags.begin(), flags.end(), named) ||
           std::any_of(
               compiler_variables.begin(), compiler_variables.begin() + folder_variables,
               [](char const* name) { return has_relative_folder(environment_variable(name)); }) ||
           (relative(kernel.path) && may_name_file(kernel.text)) ||
           kernel.text.find("incbin") != std::string::npos;
}

ATTUNE_INLINE std::string surroundings_of(kernel_source const& kernel, compile_request const& v)
{
    content_hash key;
    for (char const* const name : compiler_variables)
        key.add(environment_variable(name));
    std::error_code no_throw;
    if (depends_on_current_folder(kernel, v))
        key.add("folder").add(std::filesystem::current_path(no_throw).string());
    return key.hex();
}

ATTUNE_INLINE std::string request_key(std::string_view kind, std::string_view compiler,
                                      kernel_source const& kernel, compile_request const& v)
{
    content_hash key;
    auto const list = [&](std::string_view name, std::vector<std::string> const& texts) {
        key.add(name);
        for (std::string const& text : texts)
            key.add(text);
    };
    key.add(kind).add(compiler).add(translation_unit(kernel, v)).add(kernel.path);
    key.add(tunable_overlay).add(matrix_view_overlay);
    list("folders", kernel.include_dirs);
    list("flags", expanded_flags(kernel.flags));
    list("flags of the variant", expanded_flags(v.flags));
    list("macros", macro_flags(v));
    key.add(surroundings_of(kernel, v));
    return key.hex();
}

struct object_cache::state {
    explicit state(cache_options given)
        : options(std::move(given))
    {
    }

    /// Opens the folder; empty if the cache is off.
    [[nodiscard]] detail::descriptor open()
    {
        std::string folder;
        {
            std::lock_guard const lock(mutex);
            if (!placed) place = cache_place_of(options);
            placed = true;
            if (!place.off_because.empty()) return detail::descriptor();
            folder = place.folder;
        }
        std::string problem;
        detail::descriptor opened = open_cache_folder(folder, problem);
        if (!opened) {
            std::lock_guard const lock(mutex);
            place = {{}, problem};
        }
        return opened;
    }

    /// @return  empty if the entry is absent, or damaged; a damaged entry is removed
    [[nodiscard]] std::optional<cache_entry> read(int folder, std::string const& key)
    {
        std::string const name = cache_file_name(key);
        std::optional<std::string> const text = read_cache_file(folder, name);
        if (!text) return {};
        std::optional<cache_entry> entry = parse_cache_entry(key, *text);
        if (!entry) {
            ++damaged;
            (void)::unlinkat(folder, name.c_str(), 0);
        }
        return entry;
    }

    /// Returns true if the files of an input list are unchanged.
    [[nodiscard]] bool unchanged(int folder, std::string const& list)
    {
        std::shared_ptr<std::vector<cache_input> const> inputs;
        {
            std::lock_guard const lock(mutex);
            if (auto const found = lists.find(list); found != lists.end()) inputs = found->second;
        }
        if (!inputs) {
            std::optional<cache_entry> const entry = read(folder, list);
            if (!entry) return false;
            auto parsed = parse_input_list(entry->bytes);
            if (!parsed) return false;
            inputs = std::make_shared<std::vector<cache_input> const>(std::move(*parsed));
            std::lock_guard const lock(mutex);
            if (lists.size() > most_lists) lists.clear();
            lists[list] = inputs;
        }
        return still_holds(*inputs, hashes);
    }

    bool write(int folder, std::string const& key, std::string_view list, std::string_view bytes)
    {
        std::string const text = cache_entry_text(key, list, bytes);
        if (!write_cache_file(folder, cache_file_name(key), text)) return false;
        account(folder, text.size(), options.limit_bytes);
        return true;
    }

    static constexpr std::size_t most_lists = 1000;

    cache_options options;
    fork_safe_mutex mutex{};
    bool placed = false;
    cache_place place{};
    std::map<std::string, std::shared_ptr<std::vector<cache_input> const>> lists{};
    file_hashes hashes{};
    std::atomic<std::uint64_t> hits{0}, misses{0}, added{0}, damaged{0};
};

ATTUNE_INLINE object_cache::object_cache(cache_options options)
    : state_(std::make_shared<state>(std::move(options)))
{
}

ATTUNE_INLINE std::optional<cached_bytes> object_cache::look(std::string const& key) const
{
    detail::descriptor const folder = state_->open();
    if (!folder) return {};
    std::optional<cache_entry> entry = state_->read(folder.get(), key);
    if (!entry || !state_->unchanged(folder.get(), entry->inputs)) return {};
    touch_cache_file(folder.get(), cache_file_name(key));
    touch_cache_file(folder.get(), cache_file_name(entry->inputs));
    return cached_bytes{std::move(entry->bytes), std::move(entry->inputs)};
}

ATTUNE_INLINE std::optional<cached_bytes> object_cache::find(std::string const& key) const
{
    std::optional<cached_bytes> found = look(key);
    ++(found ? state_->hits : state_->misses);
    return found;
}

ATTUNE_INLINE bool object_cache::add(std::string const& key, std::string_view bytes,
                                     cache_inputs const& inputs) const
{
    detail::descriptor const folder = state_->open();
    if (!folder) return false;
    std::optional<std::string> const text = input_list_text(inputs, state_->hashes);
    if (!text) return false;
    std::string const list = content_hash{}.add("files").add(*text).hex();
    std::string const name = cache_file_name(list);
    if (::faccessat(folder.get(), name.c_str(), F_OK, 0) != 0 &&
        !state_->write(folder.get(), list, std::string(detail::cache_key_length, '-'), *text))
        return false;
    return add(key, bytes, list);
}

ATTUNE_INLINE bool object_cache::add(std::string const& key, std::string_view bytes,
                                     std::string const& inputs) const
{
    detail::descriptor const folder = state_->open();
    if (!folder || !state_->write(folder.get(), key, inputs, bytes)) return false;
    ++state_->added;
    return true;
}

ATTUNE_INLINE void object_cache::remove(std::string const& key) const
{
    detail::descriptor const folder = state_->open();
    if (folder) (void)::unlinkat(folder.get(), cache_file_name(key).c_str(), 0);
}

ATTUNE_INLINE cache_statistics object_cache::statistics() const
{
    (void)state_->open(); // sets `place`
    std::lock_guard const lock(state_->mutex);
    return {state_->hits,
            state_->misses,
            state_->added,
            state_->damaged,
            state_->place.off_because.empty() ? state_->place.folder : std::string{},
            state_->place.off_because};
}

} // namespace attune::inline ATTUNE_ABI::detail
