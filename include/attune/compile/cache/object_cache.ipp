// attune/compile/cache/object_cache.ipp - reading, checking and writing entries.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/detail/entry_file.hpp>
#include <attune/compile/cache/detail/eviction.hpp>
#include <attune/compile/cache/detail/folder.hpp>
#include <attune/compile/cache/detail/input_list.hpp>
#include <attune/compile/cache/object_cache.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <atomic>

namespace attune::inline ATTUNE_ABI::detail {

struct object_cache::state {
    explicit state(cache_options given)
        : options(std::move(given))
    {
    }

    /// Opens the folder; empty when the cache is off.
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

    /// @return  empty when the entry is absent, or damaged; a damaged entry is removed
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

    /// True when the files of an input list are unchanged.
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
