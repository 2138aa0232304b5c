// attune/remember/memory_store.ipp - lines in memory, and their index.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/detail/line_text.hpp>
#include <attune/remember/memory_store.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI {

struct memory_store::state {
    detail::line_text lines{};
    detail::line_maker make_line{};
    std::vector<std::string> notices{};
    bool is_believed = true;
};

ATTUNE_INLINE memory_store::memory_store()
    : state_(std::make_unique<state>())
{
}
ATTUNE_INLINE memory_store::memory_store(memory_store const& other)
    : memory_store()
{
    state_->lines.add(other.state_->lines.text());
    state_->notices = other.state_->notices;
    state_->is_believed = other.state_->is_believed;
}
ATTUNE_INLINE memory_store::memory_store(memory_store&&) noexcept = default;
ATTUNE_INLINE memory_store& memory_store::operator=(memory_store other) noexcept
{
    std::swap(state_, other.state_);
    return *this;
}
ATTUNE_INLINE memory_store::~memory_store() = default;

ATTUNE_INLINE memory_store memory_store::from_text(std::string const& text, std::string const& name)
{
    memory_store out;
    out.state_->lines.add(text);
    detail::record_table& table = out.state_->lines.table();
    auto const damaged = table.take_damage();
    if (table.is_newer()) {
        out.state_->notices.push_back(name +
                                      " was written by a newer attune (store "
                                      "format " +
                                      table.newer_format() + "): nothing of it is remembered");
        out.state_->lines = {};
    } else if (damaged.count > 0) {
        out.state_->notices.push_back(name + ": " + std::to_string(damaged.count) +
                                      " damaged records skipped, the first in line " +
                                      std::to_string(damaged.first) + " (" + damaged.why + ")");
    }
    return out;
}

ATTUNE_INLINE lookup_result memory_store::find(record_key const& key)
{
    lookup_result out = state_->lines.table().find(key, state_->lines.source());
    return state_->is_believed ? out : detail::unbelieved(std::move(out));
}
ATTUNE_INLINE void memory_store::add(record const& entry)
{
    state_->lines.add(state_->make_line(entry));
}
ATTUNE_INLINE std::vector<std::string> memory_store::notices()
{
    return std::exchange(state_->notices, {});
}
ATTUNE_INLINE void memory_store::notice(std::string sentence)
{
    state_->notices.push_back(std::move(sentence));
}
ATTUNE_INLINE void memory_store::disbelieve(std::string const& path, std::string const& why)
{
    state_->is_believed = false;
    notice(detail::unbelieved_notice(path, why));
}
ATTUNE_INLINE std::vector<record> memory_store::records() const
{
    return state_->lines.table().all_records(state_->lines.source());
}
ATTUNE_INLINE std::string memory_store::text() const { return state_->lines.text(); }

ATTUNE_INLINE void memory_store::note(detail::stored_problem const& problem,
                                      detail::tried_row const& row)
{
    state_->lines.add(state_->make_line(problem, row));
}
ATTUNE_INLINE void memory_store::end(detail::stored_problem const& problem)
{
    state_->lines.add(state_->make_line(problem));
}
ATTUNE_INLINE void memory_store::prove(detail::stored_problem const& problem,
                                       detail::proven_shape const& proof)
{
    if (!state_->lines.table().says(problem, proof, state_->lines.source()))
        state_->lines.add(state_->make_line(problem, proof));
}
ATTUNE_INLINE detail::problem_history memory_store::recall(detail::stored_problem const& wanted)
{
    if (!state_->is_believed) return {.problem = wanted};
    return state_->lines.table().recall(wanted, state_->lines.source());
}
ATTUNE_INLINE std::vector<detail::related_problem>
memory_store::related(detail::stored_problem const& wanted, std::size_t most)
{
    auto out = state_->lines.table().related(wanted, most, state_->lines.source());
    return state_->is_believed ? out : detail::unbelieved(std::move(out));
}
ATTUNE_INLINE std::vector<detail::proven_shape>
memory_store::proofs(detail::stored_problem const& wanted, std::string const& code)
{
    if (!state_->is_believed) return {};
    return state_->lines.table().proofs(wanted, code, state_->lines.source());
}

} // namespace attune::inline ATTUNE_ABI
