// tests/support/minimal_trial_place.hpp - only what trial_place promises: an array of doubles, code that is a function of it, and a list of what was asked.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/first_runs.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune_test {

class minimal_trial_place {
public:
    using code_type = std::function<void(std::vector<double>&)>;
    using expectation = attune::detail::snapshot;
    static constexpr bool keeps_both_expectations = true;

    explicit minimal_trial_place(std::vector<double> contents)
        : original(std::move(contents))
        , data(original)
        , buffers_{attune::detail::as_buffer(std::span<double>(data), 0)}
        , before_(buffers_)
    {
    }

    bool begin(bool is_perturbed, bool across)
    {
        asked += !is_perturbed ? "o" : across ? "x" : "p";
        begun_across = across;
        data = original;
        if (is_perturbed) attune::detail::perturb(buffers_, across);
        return has_room || !is_perturbed;
    }
    attune::first_run_result run_trusted(code_type const& code, double limit_s)
    {
        asked += "t";
        limits.push_back(limit_s);
        return called(code);
    }
    attune::first_run_result run(code_type const& code, double limit_s,
                                 attune::detail::snapshot const& right)
    {
        asked += "r";
        limits.push_back(limit_s);
        attune::first_run_result const end = called(code);
        if (auto const found = attune::detail::compare(buffers_[0], right.saved(0)))
            return attune::failure{attune::failure_stage::verify, found->text()};
        return end;
    }
    attune::detail::snapshot take_expectation(std::optional<attune::detail::snapshot>)
    {
        return attune::detail::snapshot{buffers_};
    }
    [[nodiscard]] bool can_perturb() const { return is_apart; }
    bool confirms(code_type const& code, double, attune::detail::snapshot const& right, bool)
    {
        asked += "c";
        begin(true, begun_across);
        static_cast<void>(called(code));
        return !attune::detail::compare(buffers_[0], right.saved(0));
    }
    [[nodiscard]] std::span<attune::buffer const> buffers() const { return buffers_; }
    [[nodiscard]] attune::detail::snapshot const& original_contents() const { return before_; }
    [[nodiscard]] attune::detail::snapshot const&
    contents_after(attune::detail::snapshot const& right) const
    {
        return right;
    }
    [[nodiscard]] attune::detail::snapshot perturbed_contents() const
    {
        return attune::detail::snapshot{buffers_};
    }
    [[nodiscard]] attune::detail::snapshot contents_after_perturbed() const
    {
        return attune::detail::snapshot{buffers_};
    }

    std::vector<double> original;
    std::vector<double> data;
    std::string
        asked{}; ///< one letter each: begin original, perturbed, x across; run trusted, a variant
    std::vector<double> limits{};
    bool begun_across = false;
    bool is_apart = true;
    bool has_room = true;
    double takes_s = 0.001;

private:
    attune::first_run_result called(code_type const& code)
    {
        try {
            code(data);
        } catch (char const* why) {
            return attune::failure{attune::failure_stage::crash, why};
        }
        return takes_s;
    }

    std::vector<attune::buffer> buffers_;
    attune::detail::snapshot before_;
};

} // namespace attune_test
