// attune/ship/bake/bake_plan.ipp - reads records, rows and proofs, and chooses among the winners.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/annotations.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/error.hpp>
#include <attune/core/fixed_string.hpp>
#include <attune/core/shape/shape_properties.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/matching.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/record_line.hpp>
#include <attune/remember/relation.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/bake/build_proofs.hpp>
#include <attune/ship/bake/dispatch_tree.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/export_header.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// The facts that the latest line about each problem of a store tells, by the problem's name.
[[nodiscard]] inline std::map<std::string, named_texts> facts_told_in(std::string_view text)
{
    std::map<std::string, named_texts> out;
    while (!text.empty()) {
        std::string_view const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.find("\"problem\"") == std::string_view::npos) continue;
        line_content const content = read_line(line);
        if (auto const* const told = std::get_if<problem_entry>(&content))
            if (!told->problem.facts.empty()) out[told->id] = told->problem.facts;
    }
    return out;
}

ATTUNE_INLINE std::string planned_variant::text() const
{
    std::string out;
    for (auto const& [name, value] : configuration)
        out += (out.empty() ? "" : " ") + name + '=' + value;
    return out;
}

/// The numbers in "512 64 -1".
[[nodiscard]] inline std::vector<std::int64_t> words_in(std::string_view text)
{
    std::vector<std::int64_t> out;
    char const* at = text.data();
    char const* const end = at + text.size();
    while (at != end) {
        std::int64_t word = 0;
        auto const [stop, problem] = std::from_chars(at, end, word);
        if (problem != std::errc{}) return {};
        out.push_back(word);
        at = stop != end && *stop == ' ' ? stop + 1 : stop;
    }
    return out;
}

ATTUNE_INLINE bool is_machine_flag(std::string_view flag)
{
    return flag.starts_with("-m") && !flag.starts_with("-mprefer-vector-width=") &&
           !flag.starts_with("-mllvm") && !flag.starts_with("-mrecip") &&
           !flag.starts_with("-mno-") && !flag.starts_with("-mcmodel=");
}

/// @pre  there is one
[[nodiscard]] inline record const& latest_of(std::vector<record> const& all)
{
    return *std::max_element(
        all.begin(), all.end(), [](record const& a, record const& b) { return a.when < b.when; });
}

/// Reads one kernel of a store.
class bake_planner {
public:
    bake_planner(std::string const& text,
                 std::string path,
                 kernel_source source,
                 plan_choice const& choice)
        : choice_(choice)
        , path_(std::move(path))
        , text_(text)
        , store_(memory_store::from_text(text, path_))
        , facts_(facts_told_in(text))
    {
        out_.source = std::move(source);
        out_.is_for_device = choice.is_for_device;
    }

    bake_plan plan()
    {
        find_winners(choice_.kernel);
        find_candidates();
        out_.source.flags = without_machine_flags(out_.source.flags, "the kernel file");
        std::vector<tree_point> const points = measure();
        regret_table const regret(points);
        std::vector<std::int32_t> chosen = choose_variants(regret, choice_.most_variants);
        std::sort(chosen.begin(), chosen.end());
        std::vector<std::int32_t> place(candidates_.size(), baked_node::none);
        for (std::int32_t const c : chosen) {
            place[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(out_.variants.size());
            out_.variants.push_back(std::move(candidates_[static_cast<std::size_t>(c)]));
        }
        for (std::vector<std::size_t> const& which : by_device()) {
            planned_device device = device_of(winners_[which.front()]);
            device.tree = grow_tree(points, regret, chosen, which);
            for (baked_node& node : device.tree)
                if (node.input == baked_node::none && node.below != baked_node::none)
                    node.below = place[static_cast<std::size_t>(node.below)];
            out_.devices.push_back(std::move(device));
        }
        out_.known_shapes.assign(shapes_.begin(), shapes_.end());
        return std::move(out_);
    }

private:
    using configuration_values = value_texts;

    [[nodiscard]] named_texts const* facts_of(record const& r) const
    {
        auto const at = facts_.find(id_of(problem_of(r)));
        return at != facts_.end() ? &at->second : nullptr;
    }

    void find_winners(std::string const& kernel)
    {
        // The text is that of the store when its fingerprint is, with the flags that the store has.
        std::set<std::vector<std::string>> flags{out_.source.flags};
        for (auto const& [id, facts] : facts_)
            if (auto const told = call_facts_in(facts)) flags.insert(told->source_flags);
        std::vector<record> const all = winners_in(text_, path_, {}, choice_.is_for_device);
        std::set<std::string> names;
        std::string others;
        std::string latest;
        std::vector<std::string> latest_flags;
        std::size_t sets = 0;
        for (std::vector<std::string> const& some : flags) {
            out_.source.flags = some;
            std::string const source = source_fingerprint(out_.source);
            std::vector<record> found;
            for (record& r : winners_in(text_, path_, source, choice_.is_for_device))
                if (r.key.source == source && (kernel.empty() || r.key.kernel == kernel)) {
                    names.insert(r.key.kernel);
                    found.push_back(std::move(r));
                }
            if (found.empty()) continue;
            std::string const when = latest_of(found).when;
            if (++sets == 1 || when >= latest) {
                latest = when;
                latest_flags = some;
                winners_ = std::move(found);
            }
        }
        out_.source.flags = latest_flags;
        if (sets > 1)
            out_.notices.push_back("the store has results of the kernel file with " +
                                   std::to_string(sets) +
                                   " sets of flags; those of the latest tuning are baked:" +
                                   (latest_flags.empty() ? " none" : joined(latest_flags)));
        for (record const& r : all)
            if (others.find(r.key.kernel) == std::string::npos)
                others += (others.empty() ? "" : ", ") + r.key.kernel;
        if (winners_.empty())
            throw error("the store has no result of this kernel file",
                        path_ + " has results of " + others + ", none of them of " +
                            (kernel.empty() ? "" : kernel + " in ") + out_.source.path +
                            " as it is now",
                        "tune the file as it is, or name the file and the kernel that were tuned");
        std::string listed;
        for (std::string const& name : names)
            listed += (listed.empty() ? "" : ", ") + name;
        if (names.size() > 1)
            throw error("the store has several kernels of this file",
                        listed,
                        "name one: attune_bake(... NAME " + *names.begin() + ")");
        out_.kernel = *names.begin();
        keep_those_with_facts();
        for (record const& r : winners_)
            if (std::find(out_.compilers.begin(), out_.compilers.end(), r.key.compiler) ==
                out_.compilers.end())
                out_.compilers.push_back(r.key.compiler);
    }

    /// 90 of a winner on a device of compute capability 9.0; 0 of one on a processor.
    [[nodiscard]] int architecture_of(record const& r) const
    {
        named_texts const* const facts = facts_of(r);
        std::string const* const isa = facts != nullptr ? value_of(*facts, "isa") : nullptr;
        int out = 0;
        if (isa != nullptr && isa->starts_with("sm_"))
            std::from_chars(isa->data() + 3, isa->data() + isa->size(), out);
        return out;
    }
    [[nodiscard]] static bool is_predicted(record const& r)
    {
        return r.key.device.ends_with(predicted_device);
    }

    /// Without the launch where it does not matter.
    [[nodiscard]] std::optional<call_facts> calls_of(record const& r) const
    {
        auto out = call_facts_in(*facts_of(r));
        if (out && !choice_.is_for_device) out->launch.reset();
        return out;
    }

    /// Those of this kind of processor, whose calls the store describes as the latest one does.
    void keep_those_with_facts()
    {
        bool const has_device = std::any_of(winners_.begin(), winners_.end(), [&](record const& r) {
            return architecture_of(r) != 0;
        });
        std::erase_if(winners_, [&](record const& r) {
            return facts_of(r) == nullptr || (architecture_of(r) != 0) != choice_.is_for_device;
        });
        if (winners_.empty() && has_device && !choice_.is_for_device)
            throw error("the store has winners on devices alone",
                        path_ + ", kernel " + out_.kernel,
                        "name their architectures: attune_bake(... SM 80 90)");
        if (choice_.is_for_device) {
            keep_those_with_launches();
            leave_out_predictions();
        }
        std::optional<call_facts> last;
        std::string when;
        for (record const& r : winners_)
            if (auto told = calls_of(r); told && (!last || r.when >= when)) {
                last = std::move(told);
                when = r.when;
            }
        if (!last)
            throw error("the store does not say how calls of the kernel become shapes",
                        path_ + ", kernel " + out_.kernel,
                        "tune it again on a processor, with attune " + std::string(version));
        out_.facts = *last;
        if (choice_.is_for_device) require_device_arrays();
        std::size_t const left_out = std::erase_if(
            winners_, [&](record const& r) { return calls_of(r) != last || !has_inputs_of(r); });
        if (left_out > 0)
            out_.notices.push_back(std::to_string(left_out) +
                                   " winners are left out: the kernel was declared otherwise when "
                                   "the latest of them was tuned");
    }

    void keep_those_with_launches()
    {
        if (winners_.empty())
            throw error("the store has no winner on a device",
                        path_ + ", kernel " + out_.kernel,
                        "tune it on one, or bake it for processors: leave out SM");
        std::erase_if(winners_, [&](record const& r) {
            auto const told = calls_of(r);
            return !told || !told->launch;
        });
        if (winners_.empty())
            throw error("the store does not say how a device launches the kernel",
                        path_ + ", kernel " + out_.kernel,
                        "tune it again with attune " + std::string(version));
    }
    /// What was predicted gives way to what was measured on a device of the architecture.
    void leave_out_predictions()
    {
        std::set<int> measured;
        for (record const& r : winners_)
            if (!is_predicted(r)) measured.insert(architecture_of(r));
        std::erase_if(winners_, [&](record const& r) {
            return is_predicted(r) && measured.count(architecture_of(r)) > 0;
        });
    }
    void require_device_arrays() const
    {
        std::vector<std::string> const& types = out_.facts.launch->arguments;
        for (std::size_t i = 0; i < types.size(); ++i)
            if (types[i].starts_with("std::span<") ||
                types[i].starts_with("attune::matrix_view<") ||
                types[i].starts_with("attune::volume_view<"))
                throw error("a release launches on arrays of the device, and the kernel takes one "
                            "of the host",
                            "argument " + std::to_string(i) + ", " + types[i] + ", of kernel " +
                                out_.kernel,
                            "declare it with attune::device_span, and tune it so");
    }

    [[nodiscard]] bool has_inputs_of(record const& r) const
    {
        if (r.key.inputs.size() != out_.facts.inputs.size()) return false;
        return std::all_of(
            out_.facts.inputs.begin(), out_.facts.inputs.end(), [&](auto const& input) {
                std::string const* const value = value_of(r.key.inputs, input.first);
                return value != nullptr && number_of(*value).has_value();
            });
    }

    /// As the kernel file has it.
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

    /// Every winner once, with what is proven of it.
    void find_candidates()
    {
        std::vector<annotation> const found = find_annotations(out_.source);
        std::vector<std::string> const own = own_names(out_.source, found);
        if (choice_.is_for_device) {
            planned_variant const one{.configuration = out_.facts.launch->defaults};
            out_.default_text = one.text();
            out_.default_code = request_of(one.configuration, own);
        } else {
            find_default(found, own);
        }
        for (record const& r : winners_) {
            if (!r.default_code.empty() && r.code == r.default_code) continue; // the default
            if (place_of(values_of(r.configuration))) continue;
            planned_variant one{.configuration = r.configuration,
                                .code = request_of(r.configuration, own)};
            // Two that differ in a flag that is left out are one here.
            auto const same =
                std::find_if(candidates_.begin(), candidates_.end(), [&](planned_variant const& c) {
                    return c.code == one.code;
                });
            places_[values_of(r.configuration)] =
                static_cast<std::size_t>(same - candidates_.begin());
            if (same != candidates_.end()) continue;
            for (auto const& [name, value] : r.configuration)
                add_divisors_in(value, one.divisors);
            candidates_.push_back(std::move(one));
        }
        for (std::size_t c = 0; c < candidates_.size(); ++c)
            prove(candidates_[c], c);
    }

    [[nodiscard]] compile_request request_of(named_texts const& configuration,
                                             std::vector<std::string> const& own)
    {
        auto const has = [](std::vector<std::string> const& names, std::string const& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        compile_request out;
        out.function = out_.kernel;
        if (choice_.is_for_device) {
            out.arguments = out_.facts.launch->arguments;
            out.declarations = out_.facts.launch->declarations;
        }
        for (auto const& [name, value] : configuration) {
            if (has(out_.facts.compilers, name)) continue;
            if (!has(out_.facts.flags, name)) {
                bool const is_line = std::none_of(value.begin(), value.end(), [](char const c) {
                    return static_cast<unsigned char>(c) < 0x20 || c == '\\';
                });
                if (!is_identifier(name) || !is_line)
                    throw error("the store has a value that no source can have",
                                path_ + ", kernel " + out_.kernel + ", parameter " +
                                    comment_of(name),
                                "the store is damaged, or was written by hand");
                out.macros.push_back({name, value, has(own, name)});
                continue;
            }
            out.flags = without_machine_flags(split_flags(value), "a winner");
        }
        return out;
    }

    /// Flags that code for any processor may have; a sentence tells of each that is left out.
    [[nodiscard]] std::vector<std::string> without_machine_flags(std::vector<std::string> flags,
                                                                 std::string const& whose)
    {
        if (choice_.is_for_device) return flags;
        std::erase_if(flags, [&](std::string const& flag) {
            if (!is_machine_flag(flag)) return false;
            std::string said = "the flag " + flag + " of " + whose +
                               " is left out: the levels of instruction sets say what the code is "
                               "compiled for";
            if (std::find(out_.notices.begin(), out_.notices.end(), said) == out_.notices.end())
                out_.notices.push_back(std::move(said));
            return true;
        });
        return flags;
    }

    [[nodiscard]] std::optional<std::size_t> place_of(configuration_values const& values) const
    {
        auto const at = places_.find(values);
        if (at == places_.end()) return {};
        return at->second;
    }

    /// Takes in the shapes that a configuration was verified for, on any of the processors.
    /// @param place  of the configuration, and of those that are the same here
    void prove(planned_variant& to, std::size_t place)
    {
        property_collector found(out_.facts.layout, to.divisors);
        bool is_wrong = false;
        for (record const& r : winners_) {
            if (is_predicted(r)) {
                if (place_of(values_of(r.configuration)) == place)
                    to.predicted_for.push_back(architecture_of(r));
                continue;
            }
            auto const take = [&](std::span<std::int64_t const> key) {
                if (key.size() != out_.facts.layout.size()) return;
                found.add(key);
                shapes_.insert({key.begin(), key.end()});
                to.recorded_up_to = std::max(to.recorded_up_to, level_of_record(r));
                to.recorded_architecture = std::max(to.recorded_architecture, architecture_of(r));
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
                // The first word stands for the rules by which a result is right; an older release
                // did not say which.
                std::int64_t const rules = out_.facts.rules != 0      ? out_.facts.rules
                                           : all.back().shape.empty() ? 0
                                                                      : all.back().shape.front();
                for (proven_shape const& one : all) {
                    if (one.shape.empty() || one.shape.front() != rules) continue;
                    if (!one.is_right) is_wrong = true;
                    if (one.is_right) take(std::span(one.shape).subspan(1));
                }
            }
        }
        to.recorded = found.take();
        if (is_wrong) {
            out_.notices.push_back(to.text() + " is not baked: it was wrong for a shape");
            to.recorded = {};
        }
    }

    /// Of the machine code that a record is about.
    [[nodiscard]] instruction_level level_of_record(record const& r) const
    {
        std::string const* const isa = value_of(*facts_of(r), "isa");
        for (std::size_t i = 0; isa != nullptr && i < instruction_level_names.size(); ++i)
            if (*isa == instruction_level_names[i]) return static_cast<instruction_level>(i);
        return instruction_level::base;
    }

    [[nodiscard]] std::vector<tried_row> rows_of(record const& r)
    {
        return store_.recall(problem_of(r)).rows;
    }

    /// The times of all candidates at each winner's problem.
    [[nodiscard]] std::vector<tree_point> measure()
    {
        std::vector<tree_point> out;
        for (record const& r : winners_) {
            tree_point p{.seconds = std::vector<std::optional<double>>(candidates_.size()),
                         .is_usable = std::vector<bool>(candidates_.size()),
                         .has_failed = std::vector<bool>(candidates_.size()),
                         .default_s = r.default_s};
            for (auto const& [name, argument] : out_.facts.inputs) {
                std::string const* const text = value_of(r.key.inputs, name);
                p.inputs.push_back(text != nullptr ? number_of(*text).value_or(0.0) : 0.0);
            }
            auto const note = [&](value_texts const& values, double seconds) {
                if (auto const at = place_of(values)) p.seconds[*at] = seconds;
            };
            for (tried_row const& row : rows_of(r))
                if (auto const* const m = std::get_if<measurement>(&row.result))
                    note(row.values, m->value);
                else if (auto const at = place_of(row.values); at && !succeeded(row.result))
                    p.has_failed[*at] = true;
            for (value_texts const& tie : r.ties)
                note(tie, r.best_s);
            note(values_of(r.configuration), r.best_s);
            std::vector<std::int64_t> const shape = words_in(r.shape);
            for (std::size_t c = 0; c < candidates_.size(); ++c)
                p.is_usable[c] = is_predicted(r) ? choice_.is_unverified ||
                                                       !candidates_[c].recorded.largest.empty()
                                                 : is_covered(candidates_[c].recorded,
                                                              out_.facts.layout,
                                                              candidates_[c].divisors,
                                                              shape);
            out.push_back(std::move(p));
        }
        return out;
    }

    /// The winners of each device; the device with most of them first.
    [[nodiscard]] std::vector<std::vector<std::size_t>> by_device() const
    {
        std::map<std::string, std::vector<std::size_t>> all;
        for (std::size_t i = 0; i < winners_.size(); ++i)
            all[winners_[i].key.device].push_back(i);
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
        if (std::string const* const vendor = value_of(*facts_of(r), "vendor"))
            out.vendor = *vendor;
        if (choice_.is_for_device) {
            out.architecture = architecture_of(r);
            out.is_predicted = is_predicted(r);
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
    std::string path_;
    std::string const& text_;
    memory_store store_;
    std::map<std::string, named_texts> facts_;
    bake_plan out_{};
    std::vector<record> winners_{};
    std::vector<planned_variant> candidates_{};
    std::map<configuration_values, std::size_t> places_{};
    std::set<std::vector<std::int64_t>> shapes_{};
};

ATTUNE_INLINE bake_plan plan_of(std::string const& store,
                                std::string const& path,
                                kernel_source source,
                                plan_choice const& choice)
{
    return bake_planner(store, path, std::move(source), choice).plan();
}

} // namespace attune::inline ATTUNE_ABI::detail
