// attune/tune/study/detail/study_link.hpp - the lines that one process of a study writes and reads, and their configurations.
// SPDX-License-Identifier: MIT
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/remember/study.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Converts configurations to the texts of their values, and back.
class study_configurations {
public:
    /// @pre  the space outlives this object
    study_configurations(chain_of_trees const& space, std::vector<quantity_bound> bounds)
        : space_(&space)
        , bounds_(std::move(bounds))
    {
        for (named_value const& v : named_values(space.describe()))
            names_.emplace_back(v.name);
    }

    [[nodiscard]] value_texts values_at(point const& at) const
    {
        return values_of(space_->describe(), at);
    }
    /// Empty if they are not a configuration of the space.
    [[nodiscard]] std::optional<point> point_at(value_texts const& values) const
    {
        if (values.size() != names_.size()) return {};
        std::optional<point> out = point_of(names_, values, *space_);
        // A configuration has one text only.
        if (out && values_at(*out) != values) out.reset();
        return out;
    }
    /// See study_board::objection.
    [[nodiscard]] std::string objection_to(value_texts const& values, evaluation const* told) const
    {
        if (!point_at(values)) return "its configuration is not in the space";
        if (told == nullptr) return {};
        try {
            static_cast<void>(bounded_numbers(bounds_, *told));
            return {};
        } catch (error const& thrown) {
            return thrown.what_alone();
        }
    }

private:
    chain_of_trees const* space_;
    std::vector<quantity_bound> bounds_;
    std::vector<std::string> names_{}; ///< of the values of a configuration
};

[[nodiscard]] inline std::string own_host_name()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

/// Reads the file often enough to find which processes work, and writes often enough to count as
/// one of them. Lines that cannot be written are kept until they can.
class study_link {
public:
    /// @param announces  called when the file cannot be written, and when it can again
    study_link(std::string path, study_header header, double lease_s,
               study_board::objection objects, std::function<void(std::string const&)> announces)
        : board_(std::move(objects))
        , file_(std::move(path))
        , header_(std::move(header))
        , lease_s_(lease_s)
        , announces_(std::move(announces))
        , look_every_s_(std::min(0.1, lease_s / 16))
    {
    }

    [[nodiscard]] study_board const& board() const noexcept { return board_; }
    [[nodiscard]] std::vector<std::string> notices() { return board_.notices(); }
    /// Index of this process in board().workers(). @pre join()
    [[nodiscard]] std::size_t place() const noexcept { return place_; }
    [[nodiscard]] std::string const& path() const noexcept { return file_.path(); }
    [[nodiscard]] std::string const& why() const noexcept { return file_.why(); }
    [[nodiscard]] bool cannot_write() const noexcept { return cannot_write_; }
    [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty(); }
    [[nodiscard]] double next_look_s() const noexcept { return next_look_s_; } ///< steady_seconds()

    [[nodiscard]] std::string line(auto says) const
    {
        using namespace std::chrono;
        double const when_s = duration<double>(system_clock::now().time_since_epoch()).count();
        return text_of_line(study_line{.worker = id_, .when_s = when_s, .says = std::move(says)}) +
               '\n';
    }

    /// Joins the study, and begins it if there is none.
    /// Errors   attune::error: see minimize_in_study()
    void join()
    {
        study_join const own{own_host_name(), static_cast<std::uint64_t>(::getpid()), lease_s_};
        // Unique to this worker: the clock differs between two processes with the same number.
        id_ = content_hash{}
                  .add(own.host)
                  .add(std::to_string(own.process))
                  .add(hexadecimal_text(steady_seconds()))
                  .add(std::to_string(std::chrono::system_clock::now().time_since_epoch().count()))
                  .hex()
                  .substr(0, 16);
        auto const text = [&] { return header_that_is_missing() + line(own); };
        if (!file_.exchange(taker(), text, true))
            throw error("the study cannot be joined: " + file_.why(), file_.path(),
                        "name a folder where this process may write");
        for (std::size_t i = 0; i < board_.workers().size(); ++i)
            if (board_.workers()[i].id == id_) place_ = i;
        last_written_s_ = looked_s_ = steady_seconds();
        next_look_s_ = looked_s_ + look_every_s_;
    }

    /// Takes the lines of other processes. @return  false: the file cannot be read now
    [[nodiscard]] bool hear() { return file_.look(taker()); }

    /// Takes the lines of other processes, and then appends the result of `make`.
    bool exchange(study_file::made const& make)
    {
        bool is_written = false;
        bool const works = file_.exchange(taker(), [&] {
            std::string out = make();
            is_written = !out.empty();
            return out;
        });
        if (works && is_written) last_written_s_ = steady_seconds();
        if (works == cannot_write_)
            announces_(works ? "the study can be written again: " + file_.path()
                             : "the study cannot be written, outcomes are kept until it can: " +
                                   file_.why() + " (" + file_.path() + ')');
        cannot_write_ = !works;
        if (!works) board_.hear_all();
        return works;
    }

    /// Writes these lines now, or as soon as possible.
    void send(std::string const& lines = {})
    {
        unsent_ += lines;
        if (exchange([this] { return unsent_; })) unsent_.clear();
    }

    /// @param has_to_say  true if this process must show that it works
    void look(bool has_to_say)
    {
        double const now = steady_seconds();
        next_look_s_ = now + look_every_s_;
        bool const is_silent = has_to_say && now - last_written_s_ >= lease_s_ / 4;
        if (has_unsent())
            send();
        else if (is_silent)
            exchange([this] { return line(study_beat{}); });
        else if (!hear())
            board_.hear_all();
        board_.pass(now - looked_s_);
        looked_s_ = now;
    }

    /// Gives up the claims of this process. @return  false: that could not be written
    [[nodiscard]] bool leave()
    {
        return file_.exchange(taker(), [this] { return unsent_ + line(study_leave{}); });
    }

private:
    [[nodiscard]] study_file::taken taker()
    {
        return [this](std::string_view one) { board_.take(one); };
    }
    /// Errors   attune::error: the file is of another study, or of none
    [[nodiscard]] std::string header_that_is_missing() const
    {
        std::optional<study_header> const& there = board_.header();
        if (!there && board_.damaged_lines() > 0)
            throw error("the file is no study", file_.path(), "give the study another name");
        if (there && there->format > study_format)
            throw error("the study was begun by a newer attune", file_.path(),
                        "take part with that version");
        std::string const difference = there ? difference_of_studies(*there, header_) : "";
        if (!difference.empty())
            throw error("the study cannot be joined: " + difference, file_.path(),
                        "declare the search of the study, or give this one another name");
        return there ? "" : text_of_line(header_) + '\n';
    }

    study_board board_;
    study_file file_;
    study_header header_; ///< header of this process
    double lease_s_;
    std::function<void(std::string const&)> announces_;
    std::string id_{};
    std::size_t place_ = 0;
    std::string unsent_{}; ///< lines that are to be written
    bool cannot_write_ = false;
    double look_every_s_; ///< several times in a lease
    double last_written_s_ = 0, looked_s_ = 0, next_look_s_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
