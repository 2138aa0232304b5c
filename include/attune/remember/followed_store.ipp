// attune/remember/followed_store.ipp - a reader of appended lines, and whether there are new ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/detail/store_reader.hpp>
#include <attune/remember/followed_store.hpp>
#include <attune/remember/lines/store_content.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct followed_store::reading {
    std::string path;
    store_reader lines;
    store_file::identity seen{};
};

ATTUNE_INLINE followed_store::followed_store(std::string path)
    : reading_(std::make_unique<reading>(reading{path, store_reader(path)}))
{
}
ATTUNE_INLINE followed_store::followed_store(followed_store&&) noexcept = default;
ATTUNE_INLINE followed_store& followed_store::operator=(followed_store&&) noexcept = default;
ATTUNE_INLINE followed_store::~followed_store() = default;

ATTUNE_INLINE followed_store::state followed_store::refresh()
{
    store_file::identity const now = store_file::stamp_at(reading_->path);
    if (now.known && now == reading_->seen) return state::same;
    switch (reading_->lines.refresh()) {
    case store_reader::state::absent:
        reading_->seen = {};
        return state::absent;
    case store_reader::state::unreadable:
        throw error("the store cannot be read: " + reading_->lines.why(), reading_->path,
                    "name another file");
    case store_reader::state::read:
        break;
    }
    require_store(reading_->lines.table(), reading_->path);
    reading_->seen = now; // what was written after that is seen the next time
    return state::changed;
}

ATTUNE_INLINE std::vector<listed_problem> followed_store::problems(std::size_t most)
{
    return reading_->lines.table().list(most, reading_->lines.source());
}
ATTUNE_INLINE problem_history followed_store::history(listed_problem const& of)
{
    return reading_->lines.table().history(of, reading_->lines.source());
}

} // namespace attune::inline ATTUNE_ABI::detail
