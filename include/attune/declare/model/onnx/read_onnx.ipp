// attune/declare/model/onnx/read_onnx.ipp - walks the nodes of a graph and makes their layers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/onnx/detail/onnx_file.hpp>
#include <attune/declare/model/onnx/detail/onnx_fold.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>
#include <attune/declare/model/onnx/detail/onnx_operators.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>

#include <algorithm>
#include <fstream>
#include <ios>
#include <set>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Only a graph made on purpose has longer formulas of extents.
inline constexpr std::size_t max_onnx_formula = 10'000;

/// The most elements of all arrays that nodes compute from shapes.
inline constexpr std::size_t max_onnx_computed = std::size_t{1} << 20;

class onnx_reader {
public:
    onnx_reader(onnx_graph const& file, onnx_options const& options, std::string const& source)
        : file_(file)
        , options_(options)
        , place_(source.empty() ? file.name : source)
        , state_{.options = options, .opset = file.opset}
        , out_{model::network(file.name, element_bytes()), {}, {}, {}}
    {
    }

    [[nodiscard]] onnx_network read()
    {
        for (auto const& [name, array] : file_.stored)
            at_place("initializer " + name, [&] {
                add(name, stored(array, array.is_floating && !array.extents.empty()));
            });
        for (onnx_input const& in : file_.inputs)
            at_place("input " + in.name, [&] { read_input(in); });
        for (onnx_node const& node : file_.nodes)
            for (std::string const& name : node.outputs)
                if (!name.empty()) makers_.emplace(name, &node);
        for (onnx_node const& node : file_.nodes) {
            at_place("node " + node.name + " (" + node.op + ')', [&] { read_node(node); });
            steps_.push_back(out_.net.graph().steps.size());
        }
        for (std::string const& name : file_.outputs) {
            auto const found = values_.find(name);
            if (found == values_.end())
                refuse("an output of a graph is made by no node", "output " + name);
            if (found->second.flows) out_.net.output(*found->second.flows);
        }
        require_used();
        return std::move(out_);
    }
    /// Numbers of layers after each node, in the order of the file.
    /// @pre  read() has returned
    [[nodiscard]] std::vector<std::size_t> const& layers_after() const noexcept { return steps_; }

private:
    [[noreturn]] void refuse(std::string const& what, std::string const& where,
                             std::string const& next = "export the model again") const
    {
        throw error(what, where + " of " + place_, next);
    }

    /// Calls `act`; adds the place in the graph to an error.
    template <class Act>
    void at_place(std::string const& where, Act const& act) const
    {
        try {
            act();
        } catch (error const& e) {
            throw error(e.what_alone(),
                        where + " of " + place_ + (e.where().empty() ? "" : ": " + e.where()),
                        e.next());
        }
    }

    /// Bytes of the type that most stored numbers have.
    [[nodiscard]] model::quantity element_bytes() const
    {
        if (options_.element_bytes) return *options_.element_bytes;
        std::map<std::int64_t, double> numbers;
        for (auto const& [name, array] : file_.stored) {
            double count = 1;
            for (std::int64_t const extent : array.extents)
                count *= static_cast<double>(extent);
            if (array.is_floating) numbers[array.bytes] += count;
        }
        for (onnx_input const& in : file_.inputs)
            if (in.is_floating) numbers[in.bytes] += 0.5; // decides if the file stores no numbers
        std::int64_t most = 4;
        for (auto const& [bytes, count] : numbers)
            if (count > numbers[most]) most = bytes;
        return most;
    }

    void add(std::string const& name, onnx_value value)
    {
        for (model::quantity const& extent : value.shape)
            require_short(extent);
        for (model::quantity const& element : value.contents.value_or(quantities{}))
            require_short(element);
        if (value.shape.size() > max_onnx_axes)
            throw error("an array has " + std::to_string(value.shape.size()) + " axes", name, "");
        out_.shapes.emplace(name, value.shape);
        if (value.flows) out_.tensors.emplace(name, *value.flows);
        if (!values_.emplace(name, std::move(value)).second)
            throw error("an array is made twice", name, "export the model again");
    }
    static void require_short(model::quantity const& q)
    {
        if (!q.constant() && q.text().size() > max_onnx_formula)
            throw error("the formula of an extent has more than " +
                            std::to_string(max_onnx_formula) + " characters",
                        "", "give more sizes as numbers: onnx_options::sizes");
    }

    [[nodiscard]] onnx_value stored(onnx_array const& array, bool is_weight)
    {
        onnx_value out;
        out.shape = quantities_of(array.extents);
        out.is_floating = array.is_floating;
        if (array.contents) out.contents = quantities_of(*array.contents);
        out.stored.push_back(static_cast<std::uint32_t>(state_.stored.size()));
        state_.stored.push_back({product_of(out.shape), is_weight});
        return out;
    }

    void read_input(onnx_input const& in)
    {
        if (!in.shape)
            throw error("an input has no shape", "",
                        "export the model with a shape, whose extents may have names");
        quantities shape;
        for (std::size_t i = 0; i < in.shape->size(); ++i) {
            onnx_axis const& axis = (*in.shape)[i];
            std::string const name =
                axis.symbol.empty() ? in.name + '[' + std::to_string(i) + ']' : axis.symbol;
            shape.push_back(axis.extent ? model::quantity(*axis.extent) : size_of(name));
        }
        model::tensor const x = out_.net.input(shape);
        hold_bytes(x, in.bytes);
        add(in.name, {.flows = x, .shape = x.shape(), .is_floating = in.is_floating});
    }

    /// A symbolic dimension.
    [[nodiscard]] model::quantity size_of(std::string const& name)
    {
        symbols_.insert(name);
        auto const given = options_.sizes.find(name);
        if (given == options_.sizes.end())
            throw error("the symbolic dimension " + name + " has no size", "",
                        "give a number or its values: onnx_options{.sizes = {{\"" + name +
                            "\", {1, 2, 4}}}}");
        if (auto const& fixed = given->second.fixed()) return *fixed;
        if (auto const known = made_.find(name); known != made_.end()) return known->second;
        parameter_description p;
        p.name = name;
        p.kind = parameter_kind::ordinal;
        p.type = value_kind::integer;
        p.integers = given->second.values();
        std::sort(p.integers.begin(), p.integers.end());
        p.integers.erase(std::unique(p.integers.begin(), p.integers.end()), p.integers.end());
        if (p.integers.empty() || p.integers.front() < 1)
            throw error("the symbolic dimension " + name + " has a value below 1, or none", "",
                        "give values of 1 or more");
        out_.parameters.push_back(std::move(p));
        return made_.emplace(name, model::quantity::of_parameter(name, true)).first->second;
    }

    void read_node(onnx_node const& node)
    {
        std::vector<onnx_value const*> inputs;
        bool does_flow = false;
        for (std::string const& name : node.inputs) {
            inputs.push_back(name.empty() ? nullptr : &find(name));
            does_flow = does_flow || (inputs.back() != nullptr && inputs.back()->flows);
        }
        // A node that depends on no input is no layer; a separate network gives its shape.
        model::network shapes("node " + node.name);
        onnx_layer at(node, std::move(inputs), does_flow ? out_.net : shapes, state_, !does_flow);
        auto const own = options_.operators.find(node.op);
        if (own != options_.operators.end())
            call(own->second, at, does_flow ? out_.net : shapes);
        else if (node.op == "Constant")
            at.set(0, constant(at));
        else if (folded const known = fold(at))
            at.set(0, *known);
        else
            read_operator(at, does_flow);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!at.wants(i)) continue;
            if (!at.outputs()[i])
                at.refuse("its output " + std::to_string(i) + " is not known",
                          "read it by an operator of your own: onnx_options::operators");
            onnx_value made = std::move(*at.outputs()[i]);
            if (!does_flow && made.flows) {
                made.flows.reset();
                keep(at, made);
            }
            if (made.contents && node.op != "Constant") computed_ += made.contents->size();
            if (computed_ > max_onnx_computed)
                at.refuse("the nodes to here compute more than " +
                              std::to_string(max_onnx_computed) + " elements of shapes",
                          "fold the constants of the model before it is read");
            add(node.outputs[i], std::move(made));
        }
        if (does_flow) return;
        for (network_requirement const& needed : shapes.graph().requirements) {
            auto& all = out_.net.graph().requirements;
            if (std::none_of(all.begin(), all.end(),
                             [&](auto const& known) { return known.holds.is_same(needed.holds); }))
                all.push_back(needed);
        }
    }

    [[nodiscard]] onnx_value const& find(std::string const& name) const
    {
        auto const found = values_.find(name);
        if (found != values_.end()) return found->second;
        auto const maker = makers_.find(name);
        if (maker == makers_.end())
            throw error("it reads " + name + ", which nothing makes", "", "export the model again");
        throw error("it reads " + name + ", which only the later node " + maker->second->name +
                        " makes: the graph is not in order, or has a cycle",
                    "", "export the model again");
    }

    static void read_operator(onnx_layer& at, bool does_flow)
    {
        std::string const& op = at.node().op;
        if (op == "ConstantOfShape" || op == "Range") // fold() has no result
            at.refuse("its shape is known when it runs, not before",
                      "export the model with this shape as a constant, or read it by an operator "
                      "of your own: onnx_options::operators");
        onnx_reading const reading = reading_of(op);
        if (reading == nullptr)
            at.refuse(
                "the operator " + op + " is not known",
                "read it in a line: onnx_options{.operators = {{\"" + op +
                    "\", [](auto const& n) { return std::vector{model::activation(n.inputs[0], \"" +
                    at.kind() + "\")}; }}}}");
        if (!does_flow && at.input_count() == 0) at.refuse("it has no inputs");
        reading(at);
    }

    /// Gives an array that depends on no input its properties beside the shape.
    static void keep(onnx_layer const& at, onnx_value& made)
    {
        made.is_floating = at.has(0) && at.input(0).is_floating;
        made.stored = at.stored();
        if (!at.has(0) || !at.input(0).contents) return;
        quantities const& of = *at.input(0).contents;
        std::string const& op = at.node().op;
        if (keeps_contents(op) &&
            product_of(made.shape).constant() == static_cast<std::int64_t>(of.size()))
            made.contents = of;
        if ((op == "Expand" || op == "Tile") && of.size() == 1)
            made.contents = filled(made.shape, of.front()).contents;
        // Truths, whole numbers and the types of floating-point numbers.
        std::int64_t const to = at.integer("to", 1);
        if (op == "Cast") made.is_floating = to == 1 || to == 10 || to == 11 || to == 16;
    }

    [[nodiscard]] onnx_value constant(onnx_layer const& at)
    {
        onnx_array made;
        if (onnx_attribute const* const a = at.find("value"); a != nullptr && a->array) {
            made = *a->array;
        } else if (onnx_attribute const* const i = at.find("value_int");
                   i != nullptr && i->integer) {
            made.contents = {*i->integer};
        } else if (onnx_attribute const* const list = at.find("value_ints"); list != nullptr) {
            made.extents = {static_cast<std::int64_t>(list->integers.size())};
            if (list->integers.size() <= max_onnx_contents) made.contents = list->integers;
        } else if (onnx_attribute const* const reals = at.find("value_floats"); reals != nullptr) {
            made.extents = {static_cast<std::int64_t>(reals->reals.size())};
            made.is_floating = true;
        } else if (at.find("value_float") != nullptr) {
            made.is_floating = true;
        } else {
            at.refuse("a constant has no number");
        }
        return stored(made, false);
    }

    void call(onnx_operator const& own, onnx_layer& at, model::network const& net)
    {
        onnx_call made{at.node().name, at.node().op, at.tensors(), {}, {}};
        std::vector<onnx_value> const constants = at.constants();
        for (onnx_value const& value : constants)
            made.weights.push_back(product_of(value.shape));
        for (auto const& [name, attribute] : at.node().attributes) {
            if (attribute.integer)
                made.integers[name] = {*attribute.integer};
            else if (!attribute.integers.empty())
                made.integers[name] = attribute.integers;
        }
        network_graph& graph = made.inputs.front().graph();
        std::size_t const before = graph.steps.size();
        std::vector<model::tensor> const outputs = own(made);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (&outputs[i].graph() != &net.graph())
                at.refuse("your operator gives a tensor of another network",
                          "make it of the inputs of the call");
            at.set(i, outputs[i]);
        }
        if (constants.empty() || graph.steps.size() == before) return;
        for (std::size_t i = before; i < graph.steps.size(); ++i) {
            model::layer_cost& cost = graph.steps[i].cost;
            cost.weights = 0;
            cost.statistics = 0;
            cost.weights_read.reset();
        }
        at.finish({made.inputs.front().shared(), graph.steps.back().output}, constants);
    }

    /// Refuses names in the options that the graph does not have.
    void require_used() const
    {
        for (auto const& [name, size] : options_.sizes) {
            if (symbols_.contains(name)) continue;
            std::string all;
            for (std::string const& symbol : symbols_)
                all += (all.empty() ? "" : ", ") + symbol;
            refuse("a size is given for " + name + ", which is no symbolic dimension", "the graph",
                   all.empty() ? "it has none" : "it has " + all);
        }
        for (auto const& [name, value] : options_.attributes)
            if (!state_.used.contains(name))
                refuse("a value is given for the attribute " + name + ", which no node reads",
                       "the graph", "name it as NODE.ATTRIBUTE: \"conv1.kernel_shape\"");
    }

    onnx_graph const& file_;
    onnx_options const& options_;
    std::string place_;
    onnx_state state_;
    onnx_network out_;
    std::map<std::string, onnx_value> values_;
    std::map<std::string, onnx_node const*> makers_;
    std::map<std::string, model::quantity> made_; // parameters of symbolic dimensions
    std::set<std::string> symbols_;
    std::vector<std::size_t> steps_;
    std::size_t computed_ = 0;
};

ATTUNE_INLINE onnx_network network_of(onnx_graph const& file, std::string const& source,
                                      std::vector<std::size_t>& layers_after)
{
    onnx_options const options;
    onnx_reader reader(file, options, source);
    onnx_network out = reader.read();
    layers_after = reader.layers_after();
    return out;
}

ATTUNE_INLINE std::string bytes_of_onnx_file(std::string const& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    auto const size = static_cast<std::streamoff>(file.tellg()); // a folder gives the largest one
    if (!file || size < 0) throw error("an ONNX file cannot be read", path, "check the path");
    require_onnx_size(static_cast<std::uint64_t>(size), path);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    file.seekg(0);
    if (!file.read(bytes.data(), size))
        throw error("an ONNX file cannot be read", path, "check the path");
    return bytes;
}

} // namespace detail

ATTUNE_INLINE description
onnx_network::with_parameters(description own, std::vector<model::quantity> const& limits) const
{
    for (parameter_description const& p : parameters) {
        if (own.find_parameter(p.name) != no_index)
            throw error("a parameter has the name of a symbolic dimension", p.name,
                        "give it as the size of that dimension: onnx_options::sizes");
        own.parameters.push_back(p);
    }
    return net.limited(std::move(own), limits);
}

ATTUNE_INLINE onnx_network read_onnx(std::string_view bytes, onnx_options const& options,
                                     std::string const& source)
{
    detail::onnx_graph const file = detail::onnx_parser(source).parse(bytes);
    return detail::onnx_reader(file, options, source).read();
}

ATTUNE_INLINE onnx_network read_onnx_file(std::string const& path, onnx_options const& options)
{
    return read_onnx(detail::bytes_of_onnx_file(path), options, path);
}

} // namespace attune::inline ATTUNE_ABI
