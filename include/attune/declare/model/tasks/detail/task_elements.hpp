// attune/declare/model/tasks/detail/task_elements.hpp - formulas of operators that work element by element.
// SPDX-License-Identifier: MIT
// tested by declare/model/tasks/tasks_of.cpp
// Source   ONNX 1.12, docs/Operators.md
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/detail/task_graph.hpp>
#include <attune/declare/model/tasks/detail/task_tensor.hpp>
#include <attune/declare/model/tasks/detail/task_writer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The factors and terms of a BatchNormalization: y = x * factor[c] + term[c].
[[nodiscard]] inline std::pair<std::vector<float>, std::vector<float>>
factors_of_norm(task_node const& node)
{
    std::vector<float> const& scale = node.numbers(1);
    std::vector<float> const& bias = node.numbers(2);
    std::vector<float> const& mean = node.numbers(3);
    std::vector<float> const& variance = node.numbers(4);
    double const epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
    std::pair<std::vector<float>, std::vector<float>> out;
    for (std::size_t c = 0; c < scale.size(); ++c) {
        double const factor =
            static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + epsilon);
        out.first.push_back(static_cast<float>(factor));
        out.second.push_back(static_cast<float>(static_cast<double>(bias[c]) -
                                                factor * static_cast<double>(mean[c])));
    }
    return out;
}

/// The values of a group at one element of its result.
class task_elements {
public:
    /// @param at  indices of the element along the axes of the result
    task_elements(task_writer& to, std::vector<affine_index> at)
        : to_(to)
        , at_(std::move(at))
    {
    }

    /// The value of an array in the group.
    void set(std::string const& name, std::uint32_t value) { known_[name] = value; }
    [[nodiscard]] std::uint32_t value(std::string const& name) const { return known_.at(name); }

    /// Input `i` of a node at the element. Stored numbers are f(number).
    template <class F>
    [[nodiscard]] std::uint32_t operand(task_node const& node, std::size_t i, F const& f)
    {
        if (auto const known = known_.find(node.input_name(i)); known != known_.end())
            return known->second;
        task_tensor const& x = node.input(i);
        if (x.flows) return to_.read(x, repeated(x.shape, at_));
        std::vector<float> numbers = node.numbers(i);
        for (float& number : numbers)
            number = f(number);
        if (numbers.size() == 1) return to_.scalar(numbers.front());
        return to_.constant("C", std::move(numbers), x.shape, repeated(x.shape, at_));
    }
    [[nodiscard]] std::uint32_t operand(task_node const& node, std::size_t i)
    {
        return operand(node, i, [](float number) { return number; });
    }

    /// The value of a node.
    [[nodiscard]] std::uint32_t of(task_node const& node)
    {
        std::string const& op = node.op();
        if (op == "Add" || op == "Sum" || op == "Mean" || op == "Mul" || op == "Max" || op == "Min")
            return of_many(node);
        if (op == "Sub") return to_.subtract(operand(node, 0), operand(node, 1));
        if (op == "Div") return quotient(node);
        if (op == "Pow") return power(node);
        if (op == "Clip") return clipped(node);
        if (op == "BatchNormalization") return normalised(node);
        if (op == "PRelu") return leaky(operand(node, 0), operand(node, 1));
        return of_one(node, operand(node, 0));
    }

private:
    [[nodiscard]] std::uint32_t of_many(task_node const& node)
    {
        std::string const& op = node.op();
        nest_op const code = op == "Mul"   ? nest_op::multiply
                             : op == "Max" ? nest_op::maximum
                             : op == "Min" ? nest_op::minimum
                                           : nest_op::add;
        std::uint32_t out = no_index;
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            bool const is_neutral =
                node.is_stored(i) && node.input(i).numbers && node.input(i).numbers->size() == 1 &&
                ((code == nest_op::multiply && node.input(i).numbers->front() == 1) ||
                 (code == nest_op::add && node.input(i).numbers->front() == 0));
            if (is_neutral && node.input_count() == 2) continue;
            std::uint32_t const one = operand(node, i);
            out = out == no_index ? one : to_.node(code, out, one);
        }
        if (op == "Mean")
            out = to_.multiply(out, to_.literal(1.0 / static_cast<double>(node.input_count())));
        return out;
    }
    [[nodiscard]] std::uint32_t quotient(task_node const& node)
    {
        if (node.is_stored(1))
            return to_.multiply(operand(node, 0),
                                operand(node, 1, [](float number) { return 1 / number; }));
        return to_.divide(operand(node, 0), operand(node, 1));
    }
    [[nodiscard]] std::uint32_t power(task_node const& node)
    {
        std::vector<float> const& exponent = node.numbers(1);
        std::uint32_t const x = operand(node, 0);
        if (exponent.size() == 1 && exponent[0] == 2) return to_.multiply(x, x);
        if (exponent.size() == 1 && exponent[0] == 3) return to_.multiply(x, to_.multiply(x, x));
        if (exponent.size() == 1 && exponent[0] == 0.5F) return to_.node(nest_op::square_root, x);
        throw no_formula{"its exponent is another one than 2, 3 or 0.5"};
    }
    [[nodiscard]] std::uint32_t clipped(task_node const& node)
    {
        std::uint32_t out = operand(node, 0);
        constexpr float far = 1e38F;
        auto const bound = [&](std::size_t i, char const* attribute, float otherwise) {
            if (!node.has(i)) return node.real(attribute, otherwise);
            if (node.numbers(i).size() != 1) throw no_formula{"its bounds are no single numbers"};
            return node.numbers(i).front();
        };
        float const low = bound(1, "min", -2 * far);
        float const high = bound(2, "max", 2 * far);
        if (low > -far) out = to_.node(nest_op::maximum, out, to_.scalar(low));
        if (high < far) out = to_.node(nest_op::minimum, out, to_.scalar(high));
        return out;
    }
    [[nodiscard]] std::uint32_t normalised(task_node const& node)
    {
        auto const [factor, term] = factors_of_norm(node);
        auto const channels = static_cast<std::int64_t>(factor.size());
        std::uint32_t const x = operand(node, 0);
        std::uint32_t const scaled =
            to_.multiply(x, to_.constant("C", factor, {channels}, {at_.at(1)}));
        return to_.add(scaled, to_.constant("C", term, {channels}, {at_.at(1)}));
    }
    [[nodiscard]] std::uint32_t leaky(std::uint32_t x, std::uint32_t slope)
    {
        std::uint32_t const zero = to_.literal(0);
        return to_.add(to_.node(nest_op::maximum, x, zero),
                       to_.multiply(slope, to_.node(nest_op::minimum, x, zero)));
    }
    [[nodiscard]] std::uint32_t hard_sigmoid(std::uint32_t x, float alpha, float beta)
    {
        std::uint32_t const line = to_.add(to_.multiply(x, to_.scalar(alpha)), to_.scalar(beta));
        return to_.node(nest_op::minimum, to_.node(nest_op::maximum, line, to_.literal(0)),
                        to_.literal(1));
    }
    [[nodiscard]] std::uint32_t of_one(task_node const& node, std::uint32_t x)
    {
        std::string const& op = node.op();
        static std::map<std::string_view, nest_op> const functions = {
            {"Exp", nest_op::exponential},   {"Log", nest_op::logarithm},
            {"Sqrt", nest_op::square_root},  {"Abs", nest_op::absolute},
            {"Neg", nest_op::negate},        {"Tanh", nest_op::hyperbolic_tangent},
            {"Erf", nest_op::error_function}};
        if (auto const found = functions.find(op); found != functions.end())
            return to_.node(found->second, x);
        if (op == "Relu") return to_.node(nest_op::maximum, x, to_.literal(0));
        if (op == "Sigmoid") return to_.sigmoid(x);
        if (op == "HardSigmoid")
            return hard_sigmoid(x, node.real("alpha", 0.2F), node.real("beta", 0.5F));
        if (op == "HardSwish") return to_.multiply(x, hard_sigmoid(x, 1.0F / 6, 0.5F));
        if (op == "LeakyRelu") return leaky(x, to_.scalar(node.real("alpha", 0.01F)));
        if (op == "Reciprocal") return to_.divide(to_.literal(1), x);
        if (op == "Cast") return x;
        if (op == "Softplus")
            return to_.node(nest_op::logarithm,
                            to_.add(to_.literal(1), to_.node(nest_op::exponential, x)));
        if (op == "Elu") {
            std::uint32_t const zero = to_.literal(0);
            std::uint32_t const below =
                to_.multiply(to_.scalar(node.real("alpha", 1)),
                             to_.subtract(to_.node(nest_op::exponential, x), to_.literal(1)));
            return to_.node(nest_op::select, to_.node(nest_op::less, x, zero), below, x);
        }
        throw no_formula{"the operator " + op + " has no formula here"};
    }

    task_writer& to_;
    std::vector<affine_index> at_;
    std::map<std::string, std::uint32_t> known_;
};

} // namespace attune::inline ATTUNE_ABI::detail
