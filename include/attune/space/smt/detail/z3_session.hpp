// attune/space/smt/detail/z3_session.hpp - one context of Z3 with the constraints of a space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/files/detail/smtlib_terms.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/smt/detail/subspaces.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <z3++.h>

namespace attune::inline ATTUNE_ABI::detail {

/// One context of Z3, for one thread; any thread may call interrupt(). Functions throw
/// z3::exception.
///
/// The solver is Z3's incremental core without a strategy. It lists 300 configurations of DnnSAT's
/// seq2seq in 0.18 s of processor time; with the strategy for QF_NIA, in 2.0 s
/// (libz3 4.8.12).
class z3_session {
public:
    /// @param script  write_smtlib(space)
    z3_session(description const& space, std::string const& script)
        : space_(space)
        , solver_(context_, z3::solver::simple())
    {
        solver_.add(context_.parse_string(script.c_str()));
        solver_.push();
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
            parameter_description const& p = space.parameters[i];
            constants_.emplace_back(context_);
            std::uint32_t const parts = p.type == value_kind::list ? p.parts : 1;
            for (std::uint32_t k = 0; k < parts; ++k) {
                std::string name = smtlib_name(space, i, k);
                name = name.substr(1, name.size() - 2); // the bars are no part of the symbol
                constants_.back().push_back(smt_is_real(p) ? context_.real_const(name.c_str())
                                                           : context_.int_const(name.c_str()));
            }
            reals_.emplace_back(context_.parse_string(equalities_of_reals(i).c_str()));
        }
    }

    /// Ends the present check soon, and all later checks. Any thread may call it.
    void interrupt() { context_.interrupt(); }

    /// Starts with `within`, without exclusions.
    void enter(subspace const& within)
    {
        solver_.pop();
        solver_.push();
        for (std::uint32_t i = 0; i < within.size(); ++i)
            if (within[i].size() < space_.parameters[i].value_count())
                solver_.add(one_of(i, within[i]));
    }

    [[nodiscard]] z3::check_result check() { return solver_.check(); }
    [[nodiscard]] std::string reason() const { return solver_.reason_unknown(); }

    /// The configuration of the last check(). @pre  its result is sat
    [[nodiscard]] point found()
    {
        z3::model const model = solver_.get_model();
        point out;
        for (std::uint32_t i = 0; i < constants_.size(); ++i)
            out.push_back(place(i, model));
        return out;
    }

    /// Excludes the configurations that agree with `at` in every parameter except `varied`.
    void exclude(point const& at, std::uint32_t varied = no_index)
    {
        solver_.add(!same(at, varied));
    }

    /// Limits checks to points that agree with `at` except in `varied`, until leave_line().
    void enter_line(point const& at, std::uint32_t varied)
    {
        solver_.push();
        solver_.add(same(at, varied));
    }
    [[nodiscard]] z3::check_result check_in_line(std::uint32_t varied, std::uint32_t index)
    {
        solver_.push();
        solver_.add(equals(varied, index));
        z3::check_result const out = solver_.check();
        solver_.pop();
        return out;
    }
    void leave_line() { solver_.pop(); }

private:
    /// A script with one assertion per value: the parameter has this value.
    [[nodiscard]] std::string equalities_of_reals(std::uint32_t i) const
    {
        std::string const name = smtlib_name(space_, i);
        std::string out = "(declare-const " + name + " Real)\n";
        for (double const v : space_.parameters[i].reals)
            out += "(assert (= " + name + ' ' + smt_real(v) + "))\n";
        return out;
    }

    [[nodiscard]] z3::expr equals(std::uint32_t i, std::uint32_t index)
    {
        parameter_description const& p = space_.parameters[i];
        z3::expr_vector const& names = constants_[i];
        if (!p.reals.empty()) return reals_[i][static_cast<int>(index)];
        if (p.type != value_kind::list)
            return names[0] == context_.int_val(number_at(p, {index, 0}).integer);
        std::vector<std::int64_t> const elements = elements_at(p, index);
        z3::expr_vector all(context_);
        for (std::uint32_t k = 0; k < p.parts; ++k)
            all.push_back(names[static_cast<int>(k)] == context_.int_val(elements[k]));
        return z3::mk_and(all);
    }

    [[nodiscard]] z3::expr one_of(std::uint32_t i, values_range const& values)
    {
        parameter_description const& p = space_.parameters[i];
        bool const is_whole = p.type != value_kind::list && p.reals.empty();
        if (is_whole && (p.range_count > 0 || std::is_sorted(p.integers.begin(), p.integers.end())))
            return within(constants_[i][0], number_at(p, {values.begin, 0}).integer,
                          number_at(p, {values.end - 1, 0}).integer);
        z3::expr_vector any(context_);
        for (std::uint32_t k = values.begin; k < values.end; ++k)
            any.push_back(equals(i, k));
        return z3::mk_or(any);
    }
    [[nodiscard]] z3::expr within(z3::expr const& of, std::int64_t low, std::int64_t high)
    {
        return context_.int_val(std::min(low, high)) <= of &&
               of <= context_.int_val(std::max(low, high));
    }

    /// The condition that all discrete parameters except `but` are as in `at`.
    [[nodiscard]] z3::expr same(point const& at, std::uint32_t but)
    {
        z3::expr_vector all(context_);
        for (std::uint32_t i = 0; i < at.size(); ++i)
            if (i != but && !space_.parameters[i].traits().is_interval)
                all.push_back(equals(i, at[i].index));
        return z3::mk_and(all);
    }

    [[nodiscard]] coordinate place(std::uint32_t i, z3::model const& model)
    {
        parameter_description const& p = space_.parameters[i];
        if (smt_is_real(p)) {
            double const v = real_of(model.eval(constants_[i][0], true));
            if (p.traits().is_interval) return {0, std::clamp(v, p.low, p.high)};
            auto const nearest =
                std::min_element(p.reals.begin(), p.reals.end(), [&](double a, double b) {
                    return std::abs(a - v) < std::abs(b - v);
                });
            return {static_cast<std::uint32_t>(nearest - p.reals.begin()), 0};
        }
        std::vector<std::int64_t> numbers;
        for (unsigned k = 0; k < constants_[i].size(); ++k)
            numbers.push_back(
                model.eval(constants_[i][static_cast<int>(k)], true).get_numeral_int64());
        if (p.type == value_kind::text || p.traits().is_truth)
            return {static_cast<std::uint32_t>(numbers[0]), 0};
        std::string const text =
            p.type == value_kind::list ? text_of_elements(numbers) : text_of_value(numbers[0]);
        std::optional<coordinate> const at = coordinate_of(p, text);
        if (!at) throw error("Z3 gives a value that the parameter does not have", p.name, text);
        return *at;
    }

    [[nodiscard]] double real_of(z3::expr const& value)
    {
        if (value.is_numeral()) return Z3_get_numeral_double(context_, value);
        std::string text = value.get_decimal_string(20); // a root of a polynomial: "1.4142?"
        std::erase(text, '?');
        return parse_real(text).value_or(0);
    }

    description const& space_;
    z3::context context_;
    z3::solver solver_; // the constraints, and above them a level: the subspace
    std::vector<z3::expr_vector> constants_; // of each parameter: one, or one per element
    std::vector<z3::expr_vector> reals_;     // of each parameter: the equalities with its reals
};

} // namespace attune::inline ATTUNE_ABI::detail
