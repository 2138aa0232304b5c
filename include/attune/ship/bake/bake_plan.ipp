// attune/ship/bake/bake_plan.ipp - chooses winners of a store, and the calls that each serves.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/annotations.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/detail/store_winners.hpp>

#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if each compiler, for each processor, compiles the same text: the text has no #if,
/// and includes only headers of the standard library and of attune without text for arrays.
[[nodiscard]] inline bool is_one_text(std::string_view text)
{
    for (; !text.empty(); text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1)) {
        std::string_view line = text.substr(0, text.find('\n'));
        auto const skip = [&line] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        };
        skip();
        if (!line.starts_with('#')) continue;
        line.remove_prefix(1);
        skip();
        if (line.starts_with("define") || line.starts_with("pragma")) continue;
        if (!line.starts_with("include")) return false;
        line.remove_prefix(std::string_view("include").size());
        skip();
        std::string_view const name = line.substr(0, line.find('>'));
        bool const is_of_attune = name.starts_with("<attune/");
        if (!name.starts_with('<') ||
            (!is_of_attune && name.find_first_of("./") != std::string_view::npos))
            return false;
    }
    return true;
}

/// Writes into a plan its default code and flags, and notices about omissions.
class bake_candidates {
public:
    /// @param text  text of the store
    bake_candidates(std::string const& text, store_winners const& winners,
                    plan_choice const& choice, bake_plan& plan)
        : choice_(choice)
        , winners_(winners)
        , store_(memory_store::from_text(text, winners.path()))
        , out_(plan)
    {
    }

    /// Finds each winner once, with its proofs.
    void find()
    {
        std::vector<annotation> const found = find_annotations(out_.source);
        std::vector<std::string> const own = own_names(out_.source, found);
        if (choice_.kind != baked_kind::processor) {
            planned_variant const one{.configuration = out_.facts.launch->defaults};
            out_.default_text = one.text();
            out_.default_code = request_of(one.configuration, own);
        } else if (out_.fallback.empty()) {
            find_default(found, own);
        } else {
            out_.default_code.function = out_.kernel;
        }
        for (record const& r : winners_.all()) {
            bool const is_default = !r.default_code.empty() && r.code == r.default_code;
            if (is_default && !out_.is_plain) continue;
            if (place_of(values_of(r.configuration))) continue;
            planned_variant one{.configuration = r.configuration,
                                .code = request_of(r.configuration, own)};
            if (!out_.fallback.empty()) one.generated = r.generated.shared + r.generated.text;
            // Two that differ only in a flag that is left out are equal here.
            auto const same =
                std::find_if(candidates_.begin(), candidates_.end(),
                             [&](planned_variant const& c) { return c.code == one.code; });
            places_[values_of(r.configuration)] =
                static_cast<std::size_t>(same - candidates_.begin());
            if (same != candidates_.end()) continue;
            for (auto const& [name, value] : r.configuration)
                add_divisors_in(value, one.divisors);
            candidates_.push_back(std::move(one));
        }
        for (std::size_t c = 0; c < candidates_.size(); ++c)
            prove(candidates_[c], c);
        out_.source.flags = without_machine_flags(out_.source.flags, "the kernel file");
    }

    [[nodiscard]] std::vector<planned_variant>& all() { return candidates_; }
    [[nodiscard]] std::set<std::vector<std::int64_t>> const& shapes() const { return shapes_; }

    [[nodiscard]] std::optional<std::size_t> place_of(value_texts const& values) const
    {
        auto const at = places_.find(values);
        if (at == places_.end()) return {};
        return at->second;
    }

    [[nodiscard]] std::vector<tried_row> rows_of(record const& r)
    {
        return store_.recall(problem_of(r)).rows;
    }

private:
    void find_default(std::vector<annotation> const& found, std::vector<std::string> const& own)
    {
        out_.default_code.function = out_.kernel;
        for (annotation const& a : found) {
            if (out_.default_text.find(a.name + '=') != std::string::npos) continue;
            out_.default_text +=
                (out_.default_text.empty() ? "" : " ") + a.name + '=' + a.default_text;
            out_.default_code.macros.push_back(
                {a.name, a.default_text, std::find(own.begin(), own.end(), a.name) != own.end()});
        }
    }

    [[nodiscard]] compile_request request_of(named_texts const& configuration,
                                             std::vector<std::string> const& own)
    {
        auto const has = [](std::vector<std::string> const& names, std::string const& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        compile_request out;
        out.function = out_.kernel;
        if (choice_.kind != baked_kind::processor) {
            out.arguments = out_.facts.launch->arguments;
            out.declarations = out_.facts.launch->declarations;
        }
        for (auto const& [name, value] : configuration) {
            if (has(out_.facts.compilers, name)) continue;
            if (!has(out_.facts.flags, name)) {
                bool const is_line = std::none_of(value.begin(), value.end(), [](char const c) {
                    return static_cast<unsigned char>(c) < 0x20 || c == '\\';
                });
                if (out_.fallback.empty() && (!is_identifier(name) || !is_line))
                    throw error("the store has a value that no source can have",
                                winners_.path() + ", kernel " + out_.kernel + ", parameter " +
                                    comment_of(name),
                                "the store is damaged, or was written by hand");
                out.macros.push_back({name, value, has(own, name)});
                continue;
            }
            out.flags = without_machine_flags(split_flags(value), "a winner");
        }
        return out;
    }

    /// Keeps flags for code of any processor; adds a sentence about each flag that is left out.
    [[nodiscard]] std::vector<std::string> without_machine_flags(std::vector<std::string> flags,
                                                                 std::string const& whose)
    {
        if (choice_.kind != baked_kind::processor) return flags;
        std::erase_if(flags, [&](std::string const& flag) {
            if (!is_machine_flag(flag)) return false;
            std::string said = "the flag " + flag + " of " + whose + " is left out: " +
                               (flag.starts_with("-msve-vector-bits=")
                                    ? "a release has no code for one length of SVE"
                                    : "the levels of instruction sets say what the code is "
                                      "compiled for");
            if (std::find(out_.notices.begin(), out_.notices.end(), said) == out_.notices.end())
                out_.notices.push_back(std::move(said));
            return true;
        });
        return flags;
    }

    /// The modulus of addresses that the tuner's compiler proved for all records of a candidate.
    /// The proof is about the text, so it holds for a release compiler's code of the same text.
    [[nodiscard]] std::uint32_t address_modulus_of(planned_variant const& of,
                                                   std::size_t place) const
    {
        std::uint32_t modulus = 1;
        for (record const& r : winners_.all())
            if (place_of(values_of(r.configuration)) == place)
                modulus = std::max(modulus, r.address_modulus);
        bool const is_one = is_one_text(of.generated.empty() ? out_.source.text : of.generated);
        return is_one ? modulus : planned_variant{}.address_modulus;
    }

    /// Adds the verified shapes of a configuration, from all processors.
    /// @param place  of the configuration, and of those that are equal here
    void prove(planned_variant& to, std::size_t place)
    {
        to.address_modulus = address_modulus_of(to, place);
        property_collector found(out_.facts.layout, to.divisors, to.address_modulus);
        bool is_wrong = false;
        for (record const& r : winners_.all()) {
            if (winners_.is_predicted(r)) {
                if (place_of(values_of(r.configuration)) == place)
                    to.predicted_for.push_back(winners_.architecture_of(r));
                continue;
            }
            auto const take = [&](std::vector<std::int64_t> const& stored) {
                std::vector<std::int64_t> const key = stored_shape(out_.facts.layout, stored);
                if (key.empty()) return;
                found.add(key);
                shapes_.insert(key);
                to.recorded_levels.insert(level_of_record(r));
                to.recorded_devices.insert(r.key.device);
                to.recorded_architecture =
                    std::max(to.recorded_architecture, winners_.architecture_of(r));
            };
            std::set<std::string> codes;
            stored_problem const problem = problem_of(r);
            if (place_of(values_of(r.configuration)) == place) {
                take(words_in(r.shape));
                codes.insert(r.code);
            }
            for (tried_row const& row : rows_of(r))
                if (place_of(row.values) == place) {
                    codes.insert(row.code);
                    auto const* const failed = std::get_if<failure>(&row.result);
                    is_wrong |= failed != nullptr && failed->stage == failure_stage::verify;
                }
            codes.erase(std::string());
            for (std::string const& code : codes) {
                std::vector<proven_shape> const all = store_.proofs(problem, code);
                if (all.empty()) continue;
                // The first word is a hash of the rules by which a result is right; an older
                // release did not write it.
                std::int64_t const rules = out_.facts.rules != 0      ? out_.facts.rules
                                           : all.back().shape.empty() ? 0
                                                                      : all.back().shape.front();
                for (proven_shape const& one : all) {
                    if (one.shape.empty() || one.shape.front() != rules) continue;
                    if (!one.is_right) is_wrong = true;
                    if (one.is_right) take({one.shape.begin() + 1, one.shape.end()});
                }
            }
        }
        to.recorded = found.take();
        if (is_wrong) {
            out_.notices.push_back(to.text() + " is not baked: it was wrong for a shape");
            to.recorded = {};
        }
    }

    /// Level of the machine code of a record.
    [[nodiscard]] instruction_level level_of_record(record const& r) const
    {
        std::string const* const isa = value_of(*winners_.facts_of(r), "isa");
        return isa != nullptr ? instruction_level_in(*isa) : instruction_level::base;
    }

    plan_choice const& choice_;
    store_winners const& winners_;
    memory_store store_;
    bake_plan& out_;
    std::vector<planned_variant> candidates_{};
    std::map<value_texts, std::size_t> places_{};
    std::set<std::vector<std::int64_t>> shapes_{};
};

ATTUNE_INLINE std::string planned_variant::text() const
{
    std::string out;
    for (auto const& [name, value] : configuration)
        out += (out.empty() ? "" : " ") + name + '=' + value;
    return out;
}

ATTUNE_INLINE bool is_machine_flag(std::string_view flag)
{
    return flag.starts_with("-m") && !flag.starts_with("-mprefer-vector-width=") &&
           !flag.starts_with("-mllvm") && !flag.starts_with("-mrecip") &&
           !flag.starts_with("-mno-") && !flag.starts_with("-mcmodel=");
}

/// The store has no time of a program's fallback: the plain nest without the flags and the
/// restricted pointers of the configuration PLAIN, whose time would be too short for it.
inline constexpr double plain_nest_is_slower = 10;

class bake_planner {
public:
    bake_planner(std::string const& text, std::string const& path, kernel_source source,
                 plan_choice const& choice)
        : choice_(choice)
        , winners_(text, path, choice, out_)
        , candidates_(text, winners_, choice, out_)
    {
        out_.source = std::move(source);
        out_.kind = choice.kind;
    }
    bake_planner(bake_planner const&) = delete;
    bake_planner& operator=(bake_planner const&) = delete;

    bake_plan plan()
    {
        winners_.find();
        candidates_.find();
        find_size_words();
        std::vector<tree_point> const points = measure();
        regret_table const regret(points);
        std::vector<std::int32_t> chosen = choose_variants(regret, choice_.most_variants);
        std::sort(chosen.begin(), chosen.end());
        std::vector<std::int32_t> place(candidates_.all().size(), baked_node::none);
        for (std::int32_t const c : chosen) {
            place[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(out_.variants.size());
            out_.variants.push_back(std::move(candidates_.all()[static_cast<std::size_t>(c)]));
        }
        for (std::vector<std::size_t> const& which : by_device()) {
            planned_device device = device_of(winners_.all()[which.front()]);
            device.tree = grow_tree(points, regret, chosen, which);
            for (baked_node& node : device.tree) {
                std::size_t const inputs = out_.facts.inputs.size();
                auto const input = static_cast<std::size_t>(node.input);
                if (node.input == baked_node::none && node.below != baked_node::none)
                    node.below = place[static_cast<std::size_t>(node.below)];
                else if (node.input != baked_node::none && input >= inputs)
                    node.input =
                        static_cast<std::int32_t>(inputs + out_.size_words[input - inputs]);
            }
            out_.devices.push_back(std::move(device));
        }
        out_.known_shapes.assign(candidates_.shapes().begin(), candidates_.shapes().end());
        return std::move(out_);
    }

private:
    /// Finds the sizes as tune/sizes/ does.
    void find_size_words()
    {
        std::vector<std::int64_t> shape; // a store may have damaged ones, and of another layout
        for (record const& r : winners_.all())
            if (shape.empty() && has_tuned_sizes(r))
                shape = stored_shape(out_.facts.layout, words_in(r.shape));
        if (shape.empty()) return;
        std::vector<std::size_t> words(shape.size());
        words.resize(shape_properties(out_.facts.layout, {}).sizes(shape, words));
        std::erase_if(words, [&](std::size_t at) {
            return !shape_choice_of(out_.facts).counts(out_.facts.layout[at].argument);
        });
        out_.size_words = std::move(words);
    }

    /// The times of all candidates at each winner's problem.
    [[nodiscard]] std::vector<tree_point> measure()
    {
        std::vector<tree_point> out;
        for (record const& r : winners_.all()) {
            problem_objective const of = objective_of(r.key);
            double const default_s = of.turned(r.default_s);
            tree_point p{.seconds = std::vector<std::optional<double>>(candidates_.all().size()),
                         .is_usable = std::vector<bool>(candidates_.all().size()),
                         .has_failed = std::vector<bool>(candidates_.all().size()),
                         .default_s = out_.is_plain ? plain_nest_is_slower * default_s : default_s};
            for (auto const& [name, argument] : out_.facts.inputs) {
                std::string const* const text = value_of(r.key.inputs, name);
                p.inputs.push_back(text != nullptr ? number_of(*text).value_or(0.0) : 0.0);
            }
            std::vector<std::int64_t> const shape =
                stored_shape(out_.facts.layout, words_in(r.shape));
            for (std::size_t const word : out_.size_words)
                p.inputs.push_back(shape.empty() ? 0.0 : static_cast<double>(shape[word]));
            auto const note = [&](value_texts const& values, double value) {
                if (auto const at = candidates_.place_of(values)) p.seconds[*at] = of.turned(value);
            };
            for (tried_row const& row : candidates_.rows_of(r))
                if (auto const* const m = std::get_if<measurement>(&row.result))
                    note(row.values, m->value);
                else if (auto const at = candidates_.place_of(row.values);
                         at && !succeeded(row.result))
                    p.has_failed[*at] = true;
            for (value_texts const& tie : r.ties)
                note(tie, r.best_s);
            note(values_of(r.configuration), r.best_s);
            for (std::size_t c = 0; c < candidates_.all().size(); ++c)
                p.is_usable[c] =
                    winners_.is_predicted(r)
                        ? choice_.is_unverified || !candidates_.all()[c].recorded.largest.empty()
                        : is_covered(candidates_.all()[c].recorded,
                                     {out_.facts.layout, candidates_.all()[c].divisors,
                                      candidates_.all()[c].address_modulus},
                                     shape);
            out.push_back(std::move(p));
        }
        return out;
    }

    /// The winners of each device; first the device with most of them.
    [[nodiscard]] std::vector<std::vector<std::size_t>> by_device() const
    {
        std::map<std::string, std::vector<std::size_t>> all;
        for (std::size_t i = 0; i < winners_.all().size(); ++i)
            all[winners_.all()[i].key.device].push_back(i);
        std::vector<std::vector<std::size_t>> out;
        for (auto& [name, which] : all)
            out.push_back(std::move(which));
        std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) {
            return a.size() != b.size() ? a.size() > b.size() : a < b;
        });
        return out;
    }

    /// @param r  of "Intel(R) Xeon(R) ... (6.143.8)"
    [[nodiscard]] planned_device device_of(record const& r) const
    {
        planned_device out{.name = r.key.device};
        if (std::string const* const vendor = value_of(*winners_.facts_of(r), "vendor"))
            out.vendor = *vendor;
        if (choice_.kind != baked_kind::processor) {
            out.architecture = winners_.architecture_of(r);
            out.is_predicted = winners_.is_predicted(r);
            if (out.is_predicted)
                out.name.resize(out.name.size() - std::string_view(predicted_device).size());
            return out;
        }
        std::size_t const open = out.name.rfind('(');
        if (open == std::string::npos) return out;
        char const* const end = out.name.data() + out.name.size();
        auto const family = std::from_chars(out.name.data() + open + 1, end, out.family);
        if (family.ptr != end && *family.ptr == '.')
            std::from_chars(family.ptr + 1, end, out.model);
        return out;
    }

    plan_choice const& choice_;
    bake_plan out_{};
    store_winners winners_;
    bake_candidates candidates_;
};

ATTUNE_INLINE bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice)
{
    return bake_planner(store, path, std::move(source), choice).plan();
}

} // namespace attune::inline ATTUNE_ABI::detail
