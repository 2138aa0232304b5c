// bench/search/trained_nets.hpp - the table of train_table.py, and the spaces of what is in it.
// SPDX-License-Identifier: MIT
// Source   Klein & Hutter 2019, Table 1
#pragma once

#include <attune/declare/description.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../tests/support/networks.hpp"
#include "../support/names.hpp"

namespace bench {

/// What one training gave, after each number of epochs.
struct trained_net {
    static constexpr std::array<double, 3> epochs{4, 12, 36};

    std::int64_t weight_bytes = 0;   ///< of the arrays that were trained
    std::array<double, 3> error{};   ///< mean squared, of validation; infinite where it diverged
    std::array<double, 3> seconds{}; ///< from the begin; ascending
};

struct net_table {
    std::string data; ///< what they were trained on
    std::unordered_map<attune::point, trained_net, attune::point_hash> nets;
};

/// HPOBench's nets of which at most so many bytes are weights: 62,208 without a bound.
[[nodiscard]] inline attune::description nets_within(std::int64_t weight_bytes)
{
    constexpr auto units_1 = attune::ordinal<"UNITS_1">(attune::powers_of_two(16, 512));
    constexpr auto units_2 = attune::ordinal<"UNITS_2">(attune::powers_of_two(16, 512));
    constexpr auto activation_1 = attune::categorical<"ACTIVATION_1">("tanh", "relu");
    constexpr auto activation_2 = attune::categorical<"ACTIVATION_2">("tanh", "relu");
    constexpr auto batch_size = attune::ordinal<"BATCH_SIZE">(attune::powers_of_two(8, 64));
    constexpr auto dropout_1 = attune::ordinal<"DROPOUT_1">(attune::values(0.0, 0.3, 0.6));
    constexpr auto dropout_2 = attune::ordinal<"DROPOUT_2">(attune::values(0.0, 0.3, 0.6));
    constexpr auto rate =
        attune::ordinal<"RATE">(attune::values(5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1));
    constexpr auto schedule = attune::categorical<"SCHEDULE">("cosine", "const");
    auto const net = attune_tests::hpobench(batch_size, units_1, units_2);
    return net.space(attune::space(units_1, units_2, activation_1, activation_2, batch_size,
                                   dropout_1, dropout_2, rate, schedule),
                     {net.weight_bytes() <= weight_bytes});
}

/// Those of them that are in the table, so that no search asks for a net that was not trained.
/// Errors  attune::error: there are none; std::runtime_error: the arrays that were trained have
///         other sizes than the network that the bound counts
[[nodiscard]] inline attune::chain_of_trees
trained_within(std::shared_ptr<net_table const> const& table, std::int64_t weight_bytes)
{
    attune::description space = nets_within(weight_bytes);
    attune::constraint_description trained;
    trained.text = "the net was trained";
    trained.scope.resize(space.parameters.size());
    std::iota(trained.scope.begin(), trained.scope.end(), 0U);
    trained.test = [table](attune::description const&, std::span<attune::coordinate const> at) {
        return table->nets.contains({at.begin(), at.end()});
    };
    space.constraints.push_back(std::move(trained));
    attune::chain_of_trees out(std::move(space));
    for (auto const& [at, net] : table->nets)
        if (out.contains(at) != (net.weight_bytes <= weight_bytes))
            throw std::runtime_error("a net was trained with other weights than the bound counts");
    return out;
}

/// Errors   std::runtime_error: the file cannot be read, has no net, or a line is not one of
///          train_table.py or repeats a net
[[nodiscard]] inline net_table read_nets(std::string const& path)
{
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    attune::description const space = nets_within(std::int64_t{1} << 40);
    std::size_t const parameters = space.parameters.size();
    net_table out;
    std::string line;
    std::getline(file, line); // names of columns
    for (std::size_t number = 2; std::getline(file, line); ++number) {
        auto const refuse = [&](std::string const& why) {
            throw std::runtime_error(path + ':' + std::to_string(number) + ": " + why);
        };
        std::vector<std::string> const fields = names_in(line);
        if (fields.size() != 8 + parameters) refuse("not a line of train_table.py");
        if (out.nets.empty()) out.data = fields[0];
        if (fields[0] != out.data) refuse("trained on other data than the lines before");
        attune::point at;
        for (std::size_t p = 0; p < parameters; ++p) {
            attune::parameter_description const& of = space.parameters[p];
            std::optional<attune::coordinate> const one = attune::coordinate_of(of, fields[1 + p]);
            if (!one) refuse(fields[1 + p] + " is no value of " + of.name);
            at.push_back(*one);
        }
        auto const read = [&](std::size_t field, auto& to) {
            std::string const& text = fields[field];
            char const* const end = text.data() + text.size();
            auto const [stopped, problem] = std::from_chars(text.data(), end, to);
            if (problem != std::errc{} || stopped != end) refuse("'" + text + "' is no number");
        };
        trained_net net;
        read(1 + parameters, net.weight_bytes);
        for (std::size_t i = 0; i < net.epochs.size(); ++i) {
            read(2 + parameters + i, net.error[i]);
            read(2 + parameters + net.epochs.size() + i, net.seconds[i]);
        }
        if (!std::is_sorted(net.seconds.begin(), net.seconds.end()) || !(net.seconds.front() > 0))
            refuse("its seconds do not ascend");
        if (!out.nets.try_emplace(std::move(at), net).second) refuse("a net is there again");
    }
    if (out.nets.empty()) throw std::runtime_error(path + ": has no net");
    return out;
}

} // namespace bench
