// attune/tune/dispatch/choice/kept_lessons.hpp - measured programs and gains of techniques, in files that tunings share.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/files/sample_file.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/session.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Measured programs of other tasks, which a search with a model of programs learns first.
class samples_lesson final : public lesson {
public:
    explicit samples_lesson(cost_samples others)
        : others_(std::move(others))
    {
    }
    /// Returns null if the text of event_kind::informed is of another kind or invalid.
    [[nodiscard]] static std::shared_ptr<lesson const> in(std::string_view text);

    bool tell(any_searcher& to) const override
    {
        return others_.size() > 0 && to.learn_from(others_);
    }
    [[nodiscard]] std::string text() const override;
    [[nodiscard]] std::string why_other(std::vector<event> const& logged,
                                        std::function<any_searcher()> const& make) const override;

private:
    cost_samples others_;
};

/// The file of tuning_search::samples, for one problem. others() leaves out the problem's own task,
/// because the store has its outcomes.
class kept_samples {
public:
    /// @param space  space of the problem, with rows that have names
    kept_samples(std::string const& path, record_key const& problem, chain_of_trees const& space);

    /// Returns the last programs of other tasks in the file: at most 2000, and of 2 MiB.
    [[nodiscard]] cost_samples others();
    void keep(known_outcome const& fresh);
    /// Returns why the file was not used; empty: it was used.
    [[nodiscard]] std::string const& problem() const noexcept { return file_.problem(); }

private:
    sample_file file_;
    expected_rows rows_;
    std::size_t width_; ///< width of expected_rows
    std::string task_;
};

/// Gains of techniques in other tunings, for a search that chooses among techniques. Leaves out
/// strategies: no search uses them, and older releases cannot continue a log with them.
class techniques_lesson final : public lesson {
public:
    explicit techniques_lesson(search::technique_history const& past)
    {
        std::vector<search::representation> all = past.representations();
        for (search::representation& one : all)
            one.strategies.clear();
        past_.add_all(std::move(all));
    }
    /// Returns null if the text of event_kind::informed is of another kind, or has an invalid line.
    [[nodiscard]] static std::shared_ptr<lesson const> in(std::string_view text)
    {
        if (!text.starts_with(informed_by_techniques)) return nullptr;
        text.remove_prefix(informed_by_techniques.size());
        search::technique_history const past = search::read_history(text);
        if (search::history_text(past) != text) return nullptr;
        return std::make_shared<techniques_lesson>(past);
    }

    bool tell(any_searcher& to) const override
    {
        return !past_.representations().empty() && to.learn_from(past_);
    }
    [[nodiscard]] std::string text() const override
    {
        return std::string(informed_by_techniques) + search::history_text(past_);
    }

private:
    static constexpr std::string_view informed_by_techniques = "techniques\n"; ///< begins text()

    search::technique_history past_{};
};

/// The meaning of a line's numbers: see sample_file.
inline constexpr char const* techniques_meaning =
    "techniques: label, structure, searches, then name, requests, new bests";

/// The file of tuning_search::techniques, for one kernel.
class kept_techniques {
public:
    /// @param kernel  label of the lines
    kept_techniques(std::string const& path, std::string kernel, description const& space)
        : file_(path, techniques_meaning)
        , kernel_(std::move(kernel))
        , structure_(search::structure_of(space))
    {
    }

    /// Returns all searches in the file, including those of this kernel.
    [[nodiscard]] search::technique_history all()
    {
        search::technique_history out;
        damaged_ = file_.sum_up(
            [&](std::span<std::string_view const> lines) {
                out = {};
                return out.add_lines(lines);
            },
            [&] { return search::history_text(out); });
        return out;
    }
    /// Returns the lines that the last all() could not read.
    [[nodiscard]] damaged_lines const& damaged() const noexcept { return damaged_; }
    /// Adds one search, unless it asked no technique.
    /// @param gain  time of the default divided by the time of the best; 0: unknown
    /// @param id    event_log::id() of the search; empty: the search has no log
    /// @param strategy  as for line_of()
    void keep(std::span<search::technique_use const> uses, double gain = 0, std::string id = {},
              std::string const& strategy = {})
    {
        std::string line = line_of(uses, gain, strategy);
        if (line.empty()) return;
        if (id.empty()) return file_.add(line);
        static_cast<void>(add_new({{{std::move(id)}, std::move(line)}}));
    }
    /// Returns the line that keep() adds, with its line end; empty: it adds none.
    /// @param strategy  name of the search's strategy; empty: unknown
    [[nodiscard]] std::string line_of(std::span<search::technique_use const> uses, double gain = 0,
                                      std::string const& strategy = {}) const
    {
        search::representation searched{.label = kernel_, .structure = structure_};
        for (search::technique_use const& use : uses)
            if (use.requests > 0) searched.uses.push_back(use);
        if (gain > 0) searched.gains.add(gain);
        if (gain > 0 && !strategy.empty()) searched.strategies = {{strategy, searched.gains}};
        return searched.uses.empty() ? std::string() : search::history_line(searched) + '\n';
    }
    /// A search that was logged.
    struct logged_line {
        std::vector<std::string> ids; ///< event_log::id() of each slice; at least one
        std::string line;             ///< of line_of()
    };
    /// Adds the lines whose ids the file does not have, all in one write, also if several processes
    /// add the same ids. Adds the strategy of a known line that has none. A line keeps its ids as
    /// techniques without requests, which readers do not count.
    /// @return  number of added lines; meaningless with a problem()
    [[nodiscard]] std::size_t add_new(std::vector<logged_line> const& lines)
    {
        std::size_t added = 0;
        file_.add_beside([&](std::string_view known) {
            std::map<std::string, std::vector<std::string>, std::less<>> having; // lines, by id
            for (std::string_view rest = known; !rest.empty();) {
                std::string_view const line = rest.substr(0, rest.find('\n'));
                rest.remove_prefix(line.size() + 1);
                for (std::size_t at = line.find(id_field); at != line.npos;
                     at = line.find(id_field, at + 1)) {
                    std::string_view const id = line.substr(at + id_field.size());
                    having[std::string(id.substr(0, id.find('\t')))].emplace_back(line);
                }
            }
            std::string out;
            for (logged_line const& one : lines) {
                std::string text = one.line.substr(0, one.line.size() - 1);
                bool is_known = false;
                bool has_strategy = false;
                for (std::string const& id : one.ids)
                    if (auto const at = having.find(id); at != having.end()) {
                        is_known = true;
                        for (std::string const& line : at->second)
                            has_strategy = has_strategy || !strategy_line(line).empty();
                    }
                if (is_known) text = has_strategy ? std::string() : strategy_line(text);
                if (text.empty()) continue;
                for (std::string const& id : one.ids)
                    text += id_field + id + "\t0\t0";
                for (std::string const& id : one.ids)
                    having[id].push_back(text);
                out += text + '\n';
                added += is_known ? 0 : 1;
            }
            return out;
        });
        return added;
    }
    /// Returns why the file was not used; empty: it was used.
    [[nodiscard]] std::string const& problem() const noexcept { return file_.problem(); }

private:
    /// Returns the strategies of a line, as a line that counts no search; empty: it has none.
    [[nodiscard]] static std::string strategy_line(std::string_view line)
    {
        search::technique_history of;
        if (!of.add_line(line) || of.representations().front().strategies.empty()) return {};
        search::representation const& all = of.representations().front();
        return search::history_line({.label = all.label,
                                     .structure = all.structure,
                                     .runs = 0,
                                     .strategies = all.strategies});
    }

    static inline std::string const id_field = "\tlogged as ";

    sample_file file_;
    damaged_lines damaged_{};
    std::string kernel_;
    search::space_structure structure_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/kept_lessons.ipp>
#endif
