// attune/remember/lines/store_content.ipp - the text of a store, and the index over it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/lines/store_content.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct store_content::state {
    line_text lines{};
    std::string damage{};
    std::string by_others{};
};

ATTUNE_INLINE void require_store(record_table const& table, std::string const& name)
{
    if (table.is_newer())
        throw error("the store was written by a newer attune (store format " +
                        table.newer_format() + ", this one knows " + std::to_string(store_format) +
                        ')',
                    name, "use the attune that wrote it");
    if (table.is_foreign())
        throw error("this file is not an attune store", name,
                    "name a file that attune::store wrote");
}

ATTUNE_INLINE store_content store_content::of_file(std::string const& path)
{
    store_file file = store_file::open_to_read(path);
    std::string text;
    if (!file.usable()) refuse_store_file(file, path);
    // So that no writer is in the middle of a line; one that was stopped is not waited for.
    static_cast<void>(file.lock(store_file::sharing::shared, 0.5));
    if (!file.read_all(text)) refuse_store_file(file, path);
    store_content out = of_text(std::move(text), path);
    out.state_->by_others = file.by_others();
    return out;
}

ATTUNE_INLINE store_content store_content::of_text(std::string text, std::string const& name)
{
    auto made = std::make_unique<state>();
    made->lines.add(std::move(text));
    record_table& table = made->lines.table();
    require_store(table, name);
    made->damage = table.take_damage().text(name);
    return store_content(std::move(made));
}

ATTUNE_INLINE store_content::store_content(std::unique_ptr<state> made) noexcept
    : state_(std::move(made))
{
}
ATTUNE_INLINE store_content::store_content(store_content&&) noexcept = default;
ATTUNE_INLINE store_content& store_content::operator=(store_content&&) noexcept = default;
ATTUNE_INLINE store_content::~store_content() = default;

ATTUNE_INLINE std::vector<listed_problem> store_content::problems(std::size_t most)
{
    return state_->lines.table().list(most, state_->lines.source());
}
ATTUNE_INLINE problem_history store_content::history(listed_problem const& of)
{
    return state_->lines.table().history(of, state_->lines.source());
}
ATTUNE_INLINE lookup_result store_content::find(record_key const& key)
{
    return state_->lines.table().find(key, state_->lines.source());
}
ATTUNE_INLINE std::vector<related_problem> store_content::related(stored_problem const& wanted,
                                                                  std::size_t most)
{
    return state_->lines.table().related(wanted, most, state_->lines.source());
}
ATTUNE_INLINE std::vector<proven_shape> store_content::proofs(stored_problem const& wanted,
                                                              std::string const& code)
{
    return state_->lines.table().proofs(wanted, code, state_->lines.source());
}
ATTUNE_INLINE std::string const& store_content::damage() const noexcept { return state_->damage; }
ATTUNE_INLINE std::string const& store_content::by_others() const noexcept
{
    return state_->by_others;
}
ATTUNE_INLINE std::string const& store_content::text() const noexcept
{
    return state_->lines.text();
}

} // namespace attune::inline ATTUNE_ABI::detail
