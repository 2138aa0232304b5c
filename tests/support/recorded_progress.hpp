// tests/support/recorded_progress.hpp - a sink that keeps what it hears.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/progress.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace attune_test {

class recorded_progress {
public:
    /// @param then  called after an event was kept; may be empty
    explicit recorded_progress(std::function<void(attune::progress const&)> then = {})
        : events_(std::make_shared<std::vector<attune::progress>>())
        , then_(std::move(then))
    {
    }

    attune::progress_sink sink() const
    {
        return [events = events_, then = then_](attune::progress const& p) {
            events->push_back(p);
            if (then) then(p);
        };
    }
    std::vector<attune::progress> const& events() const { return *events_; }

    std::size_t count(attune::progress_event kind) const
    {
        std::size_t n = 0;
        for (attune::progress const& p : *events_)
            n += p.event == kind ? 1U : 0U;
        return n;
    }
    /// The texts of all events of one kind, a line each.
    std::string texts(attune::progress_event kind) const
    {
        std::string out;
        for (attune::progress const& p : *events_)
            if (p.event == kind) out += p.text + '\n';
        return out;
    }

private:
    std::shared_ptr<std::vector<attune::progress>> events_;
    std::function<void(attune::progress const&)> then_;
};

/// Signals this process when so many evaluations are done.
inline attune::progress_sink raising_at(std::uint32_t evaluation, int signal = SIGINT)
{
    return [=](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated && p.evaluation == evaluation)
            ::raise(signal);
    };
}

} // namespace attune_test
