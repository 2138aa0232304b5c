// attune/compile/nest/detail/index_text.hpp - sums of loop variables, and their text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// factor * variable, of which something is known.
struct index_term {
    std::string variable;
    std::int64_t factor = 1;
    std::int64_t multiple = 1; ///< of which the variable is a multiple
    std::int64_t most = -1;    ///< its largest value; -1: unknown
};

struct index_sum {
    std::vector<index_term> terms;
    std::int64_t constant = 0;

    void add(index_sum const& other, std::int64_t factor)
    {
        for (index_term term : other.terms) {
            term.factor *= factor;
            terms.push_back(std::move(term));
        }
        constant += other.constant * factor;
    }
    [[nodiscard]] bool is_zero() const noexcept { return terms.empty() && constant == 0; }
    [[nodiscard]] bool is_one_word() const noexcept
    {
        return (terms.empty() && constant >= 0) ||
               (terms.size() == 1 && constant == 0 && terms.front().factor == 1);
    }
};

[[nodiscard]] inline std::string text_of(index_sum const& sum)
{
    std::string out;
    for (index_term const& term : sum.terms) {
        std::int64_t const size = term.factor < 0 ? -term.factor : term.factor;
        if (term.factor < 0)
            out += out.empty() ? "-" : " - ";
        else if (!out.empty())
            out += " + ";
        if (size != 1) out += std::to_string(size) + " * ";
        out += term.variable;
    }
    if (out.empty()) return std::to_string(sum.constant);
    if (sum.constant > 0) out += " + " + std::to_string(sum.constant);
    if (sum.constant < 0) out += " - " + std::to_string(-sum.constant);
    return out;
}

/// As an operand of a product.
[[nodiscard]] inline std::string factor_text(index_sum const& sum)
{
    return sum.is_one_word() ? text_of(sum) : '(' + text_of(sum) + ')';
}

/// A product of numbers that are known now and of inputs.
struct nest_size {
    std::int64_t constant = 1;
    std::vector<std::string> inputs;

    [[nodiscard]] bool is_known() const noexcept { return inputs.empty(); }
    void multiply(nest_size const& other)
    {
        constant *= other.constant;
        inputs.insert(inputs.end(), other.inputs.begin(), other.inputs.end());
    }
};

[[nodiscard]] inline std::string text_of(nest_size const& size)
{
    std::string out =
        size.constant == 1 && !size.inputs.empty() ? std::string{} : std::to_string(size.constant);
    for (std::string const& input : size.inputs)
        out += (out.empty() ? "" : " * ") + input;
    return out;
}

/// "sum * size", short where one of them is 1; to be added to another text.
[[nodiscard]] inline std::string product_text(index_sum const& sum, nest_size const& size)
{
    if (size.is_known() && size.constant == 1) return text_of(sum);
    if (sum.terms.empty() && sum.constant == 1) return text_of(size);
    return factor_text(sum) + " * " + text_of(size);
}

inline void append_sum(std::string& out, std::string const& text)
{
    if (text == "0") return;
    out += (out.empty() ? "" : " + ") + text;
}

} // namespace attune::inline ATTUNE_ABI::detail
