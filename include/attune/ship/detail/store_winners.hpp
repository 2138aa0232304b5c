// attune/ship/detail/store_winners.hpp - the winners of a kernel in a store, and facts of their problems.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/record_line.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/export_header.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The facts in the latest line about each problem of a store, by the problem's name.
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

/// @pre  `all` is not empty
[[nodiscard]] inline record const& latest_of(std::vector<record> const& all)
{
    return *std::max_element(all.begin(), all.end(),
                             [](record const& a, record const& b) { return a.when < b.when; });
}

/// Writes into a plan the kernel, source, facts and compilers of its winners.
class store_winners {
public:
    /// @param text  text of the store  @param path  its path, in messages
    store_winners(std::string const& text, std::string const& path, plan_choice const& choice,
                  bake_plan& plan)
        : choice_(choice)
        , path_(path)
        , text_(text)
        , facts_(facts_told_in(text))
        , out_(plan)
    {
    }

    /// Errors   attune::error: there are no winners, or they are of several kernels
    void find()
    {
        if (out_.source.path.empty()) return find_generated();
        std::string const& kernel = choice_.kernel;
        // If the fingerprints with the store's flags are equal, so are the texts.
        std::set<std::vector<std::string>> flags{out_.source.flags};
        for (auto const& [id, facts] : facts_)
            if (auto const told = call_facts_in(facts)) flags.insert(told->source_flags);
        std::vector<record> const all = winners_in(text_, path_, {}, is_for_device());
        std::set<std::string> names;
        std::string others;
        std::string latest;
        std::vector<std::string> latest_flags;
        std::size_t sets = 0;
        for (std::vector<std::string> const& some : flags) {
            out_.source.flags = some;
            std::string const source = source_fingerprint(out_.source);
            std::vector<record> found;
            for (record& r : winners_in(text_, path_, source, is_for_device()))
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
        if (winners_.empty() && std::any_of(all.begin(), all.end(), [&](record const& r) {
                return (kernel.empty() || r.key.kernel == kernel) && is_generated(r);
            }))
            throw error("the text of the kernel was generated, and is not that of a kernel file",
                        path_ + " has results of " + others,
                        "name the store alone, without KERNEL: it has the generated text");
        if (winners_.empty())
            throw error("the store has no result of this kernel file",
                        path_ + " has results of " + others + ", none of them of " +
                            (kernel.empty() ? "" : kernel + " in ") + out_.source.path +
                            " as it is now",
                        "tune the file as it is, or name the file and the kernel that were tuned");
        require_one_of(names);
        keep_those_with_facts();
        note_compilers();
    }

    [[nodiscard]] std::vector<record> const& all() const { return winners_; }
    [[nodiscard]] std::string const& path() const { return path_; }

    [[nodiscard]] named_texts const* facts_of(record const& r) const
    {
        auto const at = facts_.find(id_of(problem_of(r)));
        return at != facts_.end() ? &at->second : nullptr;
    }

    /// 90 for a winner on a device of compute capability 9.0; 0 for one on a processor.
    [[nodiscard]] int architecture_of(record const& r) const
    {
        named_texts const* const facts = facts_of(r);
        std::string const* const isa = facts != nullptr ? value_of(*facts, "isa") : nullptr;
        int out = 0;
        if (isa != nullptr && isa->starts_with("sm_"))
            std::from_chars(isa->data() + 3, isa->data() + isa->size(), out);
        return out;
    }
    [[nodiscard]] baked_kind kind_of(record const& r) const
    {
        return architecture_of(r) != 0               ? baked_kind::cuda
               : r.key.device.starts_with("OpenCL ") ? baked_kind::opencl
                                                     : baked_kind::processor;
    }
    [[nodiscard]] static bool is_predicted(record const& r)
    {
        return r.key.device.ends_with(predicted_device);
    }

private:
    [[nodiscard]] bool is_for_device() const { return choice_.kind != baked_kind::processor; }

    /// Finds winners whose text the store has.
    void find_generated()
    {
        if (is_for_device())
            throw error("generated text is baked for processors alone", path_,
                        "write a kernel file for devices, and tune it");
        std::string with_files;
        std::set<std::string> names;
        for (record& r : winners_in(text_, path_, {}, false)) {
            if (!choice_.kernel.empty() && r.key.kernel != choice_.kernel) continue;
            if (!is_generated(r) && r.generated.text.empty()) {
                if (with_files.find(r.key.kernel) == std::string::npos)
                    with_files += (with_files.empty() ? "" : ", ") + r.key.kernel;
                continue;
            }
            names.insert(r.key.kernel);
            winners_.push_back(std::move(r));
        }
        if (winners_.empty())
            throw error("the store has no result of a generated kernel" +
                            (choice_.kernel.empty() ? "" : " called " + choice_.kernel),
                        path_ + (with_files.empty() ? "" : " has results of " + with_files),
                        "name the kernel file that was tuned, or the kernel as the store has it");
        require_one_of(names);
        std::size_t const without =
            std::erase_if(winners_, [](record const& r) { return r.generated.text.empty(); });
        if (winners_.empty())
            throw error("the store does not have the text of what was generated",
                        path_ + ", kernel " + out_.kernel,
                        "tune it again with attune " + std::string(version) +
                            ", which keeps the text of winners");
        if (without > 0)
            out_.notices.push_back(std::to_string(without) +
                                   " winners are left out: the store does not have their text");
        for (record const& r : winners_)
            if (fingerprint_of(r.generated) != r.generated.print)
                throw error("the text of a winner is not what was tuned",
                            path_ + ", kernel " + out_.kernel,
                            "the store is damaged, or was changed by hand: tune the kernel again");
        keep_those_with_facts();
        out_.source.flags = out_.facts.source_flags;
        record const& last = latest_of(winners_);
        out_.fallback = last.generated.shared + last.generated.fallback;
        out_.is_plain = last.generated.is_plain;
        out_.default_text = out_.is_plain ? "the plain nest" : "the default";
        note_compilers();
    }

    void require_one_of(std::set<std::string> const& names)
    {
        std::string listed;
        for (std::string const& name : names)
            listed += (listed.empty() ? "" : ", ") + name;
        if (names.size() > 1)
            throw error(out_.source.path.empty() ? "the store has several generated kernels"
                                                 : "the store has several kernels of this file",
                        listed, "name one: attune_bake(... NAME " + *names.begin() + ")");
        out_.kernel = *names.begin();
    }

    void note_compilers()
    {
        for (record const& r : winners_)
            if (std::find(out_.compilers.begin(), out_.compilers.end(), r.key.compiler) ==
                out_.compilers.end())
                out_.compilers.push_back(r.key.compiler);
    }

    [[nodiscard]] bool is_generated(record const& r) const
    {
        named_texts const* const facts = facts_of(r);
        auto const calls = facts != nullptr ? call_facts_in(*facts) : std::nullopt;
        return calls && calls->is_generated;
    }

    /// The facts, without the launch if it does not matter.
    [[nodiscard]] std::optional<call_facts> calls_of(record const& r) const
    {
        auto out = call_facts_in(*facts_of(r));
        if (out && !is_for_device()) out->launch.reset();
        return out;
    }

    /// Keeps winners of this kind of processor whose call facts equal the latest ones.
    void keep_those_with_facts()
    {
        std::erase_if(winners_, [&](record const& r) { return facts_of(r) == nullptr; });
        auto const has = [&](baked_kind kind) {
            return std::any_of(winners_.begin(), winners_.end(),
                               [&](record const& r) { return kind_of(r) == kind; });
        };
        bool const has_cuda = has(baked_kind::cuda);
        if (!has(choice_.kind) && (has_cuda || has(baked_kind::opencl)) && !is_for_device())
            throw error("the store has winners on devices alone", path_ + ", kernel " + out_.kernel,
                        has_cuda ? "name their architectures: attune_bake(... SM 80 90)"
                                 : "bake them for OpenCL: attune_bake(... OPENCL)");
        std::erase_if(winners_, [&](record const& r) { return kind_of(r) != choice_.kind; });
        if (is_for_device()) {
            keep_those_with_launches();
            leave_out_predictions();
        }
        keep_those_of_one_objective();
        keep_those_with_latest_flags();
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
        if (is_for_device()) require_device_arrays();
        std::size_t const left_out = std::erase_if(
            winners_, [&](record const& r) { return calls_of(r) != last || !has_inputs_of(r); });
        if (left_out > 0)
            out_.notices.push_back(std::to_string(left_out) +
                                   " winners are left out: the kernel was declared otherwise when "
                                   "the latest of them was tuned");
    }

    /// Values of several objectives are not comparable: those of the latest one stay.
    void keep_those_of_one_objective()
    {
        if (winners_.empty()) return;
        problem_objective const of = objective_of(latest_of(winners_).key);
        std::size_t const others =
            std::erase_if(winners_, [&](record const& r) { return !(objective_of(r.key) == of); });
        if (others > 0)
            out_.notices.push_back(
                std::to_string(others) +
                " winners are left out: the latest tuning had another objective");
    }

    /// Drops the winners of tunings with other build options than the latest tuning. A release
    /// compiles all its code with one list of options.
    void keep_those_with_latest_flags()
    {
        if (winners_.empty() || choice_.flags_of == nullptr) return;
        std::vector<std::string> const flags = choice_.flags_of(latest_of(winners_).key.compiler);
        std::size_t const others = std::erase_if(
            winners_, [&](record const& r) { return choice_.flags_of(r.key.compiler) != flags; });
        if (others > 0)
            out_.notices.push_back(
                std::to_string(others) +
                " winners are left out: the latest tuning had other build options:" +
                (flags.empty() ? " none" : joined(flags)));
    }

    void keep_those_with_launches()
    {
        if (winners_.empty())
            throw error("the store has no winner on a device", path_ + ", kernel " + out_.kernel,
                        "tune it on one, or bake it for processors: leave out " +
                            std::string(choice_.kind == baked_kind::cuda ? "SM" : "OPENCL"));
        std::erase_if(winners_, [&](record const& r) {
            auto const told = calls_of(r);
            return !told || !told->launch;
        });
        if (winners_.empty())
            throw error("the store does not say how a device launches the kernel",
                        path_ + ", kernel " + out_.kernel,
                        "tune it again with attune " + std::string(version));
    }
    /// Leaves out a prediction if there is a measurement on a device of the architecture.
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
                types[i].starts_with("attune::constant_view<") ||
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
        auto const from_call = [](auto const& input) {
            return !is_machine_figure(input.first) && !is_tuned_size(input.first);
        };
        auto const counted = std::count_if(r.key.inputs.begin(), r.key.inputs.end(), from_call);
        if (static_cast<std::size_t>(counted) != out_.facts.inputs.size()) return false;
        return std::all_of(out_.facts.inputs.begin(), out_.facts.inputs.end(),
                           [&](auto const& input) {
                               std::string const* const value = value_of(r.key.inputs, input.first);
                               return value != nullptr && number_of(*value).has_value();
                           });
    }

    plan_choice const& choice_;
    std::string const& path_;
    std::string const& text_;
    std::map<std::string, named_texts> facts_;
    bake_plan& out_;
    std::vector<record> winners_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
