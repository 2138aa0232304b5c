// tests/remember/study.cpp - many processes, some killed; lines come back; which claims and outcomes count.
// SPDX-License-Identifier: MIT
#include <attune/remember/study.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "../support/open_files.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using attune::detail::study_file;
using attune_test::fork_child;
using attune_test::has;
using attune_test::status_of;
using support::scratch_directory;
using namespace attune::detail;
using attune::value_texts;

namespace {

struct lines {
    std::vector<std::string> all{};
    study_file::taken take = [this](std::string_view one) { all.emplace_back(one); };
};
bool append(study_file& file, lines& seen, std::string const& text)
{
    return file.exchange(seen.take, [&] { return text + '\n'; });
}

study_line line_of(decltype(study_line::says) says)
{
    return {.worker = "w1", .when_s = 1764219600.125, .says = std::move(says)};
}
study_line again(study_line const& line)
{
    study_content const read = read_study_line(text_of_line(line));
    CHECK(std::get<study_line>(read).worker == line.worker);
    CHECK(std::get<study_line>(read).when_s == line.when_s);
    return std::get<study_line>(read);
}
study_header header()
{
    return {.objective = "halo",
            .space = "5f3a",
            .parameters = {"X", "Y"},
            .sizes = {"11", "real"},
            .inputs = {{"N", "1024"}},
            .bounds = "error <= 0.001"};
}

std::string said(std::string const& by, decltype(study_line::says) says)
{
    return text_of_line(study_line{.worker = by, .when_s = 1, .says = std::move(says)});
}
std::string joins(std::string const& by, double lease_s = 10)
{
    return said(by, study_join{"node-" + by, 7, lease_s});
}
std::string claims(std::string const& by, std::uint64_t number, std::string const& value,
                   std::optional<claim_name> over = {})
{
    return said(by, study_claim{number, {value}, std::move(over)});
}
std::string tells(std::string const& by, std::uint64_t number, std::string const& value,
                  double seen = 1)
{
    return said(by, study_told{number, {value}, attune::measurement::exact(seen), false});
}

/// A board on which a and b have joined.
study_board two()
{
    study_board out([](value_texts const& values, attune::evaluation const*) {
        return values.size() == 1 && values[0].size() == 1 ? "" : "not in the space";
    });
    out.take(joins("a"));
    out.take(joins("b"));
    return out;
}
std::string holder(study_board const& board, std::string const& value)
{
    open_claim const* const found = board.holder_of({value});
    return found == nullptr ? "" : board.workers()[found->worker].id;
}

} // namespace

TEST_CASE("each reader takes each line once, in the order of the file")
{
    auto const [directory, path] = support::scratch_file("deep/er/a.study");
    study_file one(path), other(path);
    lines of_one, of_other;
    CHECK(!one.look(of_one.take));
    CHECK(!append(one, of_one, "no")); // nobody may make the file but who joins
    CHECK(one.exchange(of_one.take, [] { return std::string("first\nsecond\n"); }, true));
    CHECK(append(other, of_other, "third"));
    CHECK(of_other.all == std::vector<std::string>{"first", "second", "third"});
    CHECK(one.look(of_one.take));
    CHECK(one.look(of_one.take));
    CHECK(of_one.all == of_other.all);
    CHECK(one.exchange(of_one.take, [] { return std::string(); }));
    CHECK(support::read_file(path) == "first\nsecond\nthird\n");
}

TEST_CASE("a line that is being written is not taken; that of a killed writer ends at the next one")
{
    auto const [directory, path] = support::scratch_file("a.study", "whole\nto");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    CHECK(seen.all == std::vector<std::string>{"whole"});
    CHECK(append(file, seen, "next"));
    CHECK(seen.all == std::vector<std::string>{"whole", "to", "next"});
    CHECK(support::read_file(path) == "whole\nto\nnext\n");
}

TEST_CASE("a line longer than a block is taken whole")
{
    auto const [directory, path] = support::scratch_file("a.study");
    std::string const is_long(3'000'000, 'x');
    support::write_file(path, "a\n" + is_long + "\nb\n");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    CHECK(seen.all == std::vector<std::string>{"a", is_long, "b"});
}

TEST_CASE("nobody writes between what a process read and what it then writes")
{
    auto const [directory, path] = support::scratch_file("a.study", "0\n");
    std::vector<::pid_t> children;
    for (int writer = 0; writer < 6; ++writer)
        children.push_back(fork_child([&] {
            study_file file(path);
            lines seen;
            for (int i = 0; i < 50; ++i)
                if (!file.exchange(seen.take,
                                   [&] { return std::to_string(seen.all.size()) + '\n'; }))
                    ::_exit(3);
        }));
    for (::pid_t const child : children)
        CHECK(status_of(child) == 0);
    std::string expected;
    for (int i = 0; i <= 6 * 50; ++i)
        expected += std::to_string(i) + '\n';
    CHECK(support::read_file(path) == expected);
}

TEST_CASE("a child that was forked while this process wrote does not keep the lock")
{
    scratch_directory const at;
    study_file file(at.file("a.study"));
    lines seen;
    ::pid_t child = 0;
    REQUIRE(file.exchange(
        seen.take,
        [&] {
            child = fork_child([] { ::pause(); });
            return std::string("first\n");
        },
        true));
    bool const is_written = append(file, seen, "second");
    ::kill(child, SIGKILL);
    CHECK(WIFSIGNALED(status_of(child)));
    CHECK(is_written);
    CHECK(seen.all == std::vector<std::string>{"first", "second"});
}

TEST_CASE("a full disk leaves no trace, and is said; a file that is away is found again")
{
    scratch_directory const directory;
    std::filesystem::create_directory(directory.file("place"));
    std::string const path = directory.file("place/a.study");
    support::write_file(path, "first\n");
    ::pid_t const child = fork_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        study_file file(path);
        lines seen;
        ::rlimit const limit{8, RLIM_INFINITY};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        if (append(file, seen, "second")) ::_exit(3);
        if (file.why().empty()) ::_exit(4);
        ::rlimit const none{RLIM_INFINITY, RLIM_INFINITY};
        if (::setrlimit(RLIMIT_FSIZE, &none) != 0) ::_exit(2);
        if (support::read_file(path) != "first\n") ::_exit(5);
        if (!append(file, seen, "second")) ::_exit(6);
    });
    CHECK(status_of(child) == 0);
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    std::filesystem::rename(directory.file("place"), directory.file("away"));
    CHECK(!file.look(seen.take));
    CHECK(!append(file, seen, "third"));
    CHECK(!std::filesystem::exists(directory.file("place"))); // or the two would be two studies
    std::filesystem::rename(directory.file("away"), directory.file("place"));
    CHECK(append(file, seen, "third"));
    CHECK(seen.all == std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE("another file in its place is an error, and so is one that was cut")
{
    auto const [directory, path] = support::scratch_file("a.study", "first\nsecond\n");
    study_file file(path);
    lines seen;
    CHECK(file.look(seen.take));
    std::string other;
    SUBCASE("another") { std::filesystem::rename(path, path + ".old"); }
    SUBCASE("cut") {}
    support::write_file(path, "first\n");
    CHECK_THROWS_AS(static_cast<void>(file.look(seen.take)), attune::error);
    CHECK_THROWS_AS(append(file, seen, "third"), attune::error);
    CHECK(support::read_file(path) == "first\n");
}

TEST_CASE("who else may write into a study is known")
{
    scratch_directory const directory;
    namespace fs = std::filesystem;
    using attune::detail::who_may_tell;
    std::string const path = directory.file("s");
    CHECK(who_may_tell(path).empty());
    support::write_file(path, "text");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    CHECK(who_may_tell(path).empty());
    fs::permissions(directory.path(), fs::perms::all);
    CHECK(who_may_tell(path).starts_with("the folder " + directory.path() + " has mode 0777"));
    fs::permissions(directory.path(), fs::perms::all | fs::perms::sticky_bit); // as /tmp
    CHECK(who_may_tell(path).empty());
    fs::permissions(path, fs::perms::all);
    CHECK(who_may_tell(path).starts_with(path + " has mode 0777"));
}

TEST_CASE("each kind of line comes back as it was, to the last bit")
{
    auto const joined = std::get<study_join>(again(line_of(study_join{"node\xff", 4711, 30})).says);
    CHECK(joined.host == "node\xff"); // no UTF-8
    CHECK(joined.process == 4711);
    CHECK(joined.lease_s == 30);
    auto const claimed = std::get<study_claim>(
        again(line_of(study_claim{3, {"64", "{0, 1}"}, claim_name{"w0", 9}})).says);
    CHECK(claimed.number == 3);
    CHECK(claimed.values == value_texts{"64", "{0, 1}"});
    CHECK(claimed.over == claim_name{"w0", 9});
    CHECK(!std::get<study_claim>(again(line_of(study_claim{3, {"1"}, {}})).says).over);
    attune::measurement const m{0.1, 0.30000000000000004 - 0.3, 1e300, 14};
    attune::evaluation const seen(m, {{"error", 1.0 / 3}, {"joules", -0.0}});
    auto const told = std::get<study_told>(again(line_of(study_told{4, {"1"}, seen, false})).says);
    CHECK(std::get<attune::measurement>(told.seen.result).value == m.value);
    CHECK(std::get<attune::measurement>(told.seen.result).low == m.low);
    CHECK(std::get<attune::measurement>(told.seen.result).high == m.high);
    CHECK(std::get<attune::measurement>(told.seen.result).samples == 14);
    CHECK(told.seen.quantities == seen.quantities);
    CHECK(!told.is_fault);
    attune::failure const why{attune::failure_stage::timeout, "line\nbreak", "log"};
    auto const failed = std::get<study_told>(again(line_of(study_told{5, {}, why, true})).says);
    CHECK(std::get<attune::failure>(failed.seen.result).stage == why.stage);
    CHECK(std::get<attune::failure>(failed.seen.result).reason == why.reason);
    CHECK(failed.is_fault);
    CHECK(std::holds_alternative<study_beat>(again(line_of(study_beat{})).says));
    CHECK(std::holds_alternative<study_leave>(again(line_of(study_leave{})).says));
    CHECK(std::holds_alternative<study_other>(again(line_of(study_other{})).says));
}

TEST_CASE("no line has a newline in it, and a change of any byte is seen")
{
    std::string const text = text_of_line(line_of(
        study_told{5, {"a\nb"}, attune::failure{attune::failure_stage::crash, "\n"}, true}));
    CHECK(!has(text, "\n"));
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CAPTURE(i);
        CHECK(std::holds_alternative<damaged_line>(read_study_line(changed)));
        CHECK(std::holds_alternative<damaged_line>(read_study_line(text.substr(0, i))));
    }
    CHECK(std::holds_alternative<damaged_line>(read_study_line("{\"by\":\"w1\",\"beat\":true}")));
}

TEST_CASE("a header comes back, and of a newer one no more than its number is read")
{
    study_content const read = read_study_line(text_of_line(header()));
    CHECK(difference_of_studies(std::get<study_header>(read), header()).empty());
    study_header later = header();
    later.format = 7;
    CHECK(std::get<study_header>(read_study_line(text_of_line(later))).format == 7);
}

TEST_CASE("what differs between two studies is said, with both")
{
    auto const said = [](auto const& change) {
        study_header own = header();
        change(own);
        return difference_of_studies(header(), own);
    };
    auto const names = [](std::string const& text, char const* a, char const* b) {
        return has(text, a) && has(text, b);
    };
    CHECK(names(said([](study_header& h) { h.objective = "fft"; }), "'halo'", "'fft'"));
    CHECK(names(said([](study_header& h) { h.inputs = {{"N", "8"}}; }), "N=1024", "N=8"));
    CHECK(names(said([](study_header& h) { h.sizes[0] = "12"; }), "X (11)", "X (12)"));
    CHECK(names(said([](study_header& h) { h.space = "77c1"; }), "5f3a", "77c1"));
    CHECK(names(said([](study_header& h) { h.bounds = ""; }), "error <= 0.001", "none"));
}

TEST_CASE("the first claim holds until its outcome, and what others claim meanwhile is nothing")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    board.take(claims("b", 1, "x"));
    CHECK(holder(board, "x") == "a");
    board.take(tells("b", 1, "x", 5)); // it never held x
    CHECK(board.outcomes().empty());
    CHECK(board.workers()[1].refused == 1);
    board.take(tells("a", 1, "x", 6));
    REQUIRE(board.outcomes().size() == 1);
    CHECK(std::get<attune::measurement>(board.outcomes()[0].seen.result).value == 6);
    CHECK(board.open().empty());
    board.take(claims("b", 2, "x"));
    CHECK(board.open().empty());
    CHECK(board.has_outcome({"x"}));
}

TEST_CASE("a claim expires by the reader's own time alone, and any line of its worker stops that")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    for (int i = 0; i < 9; ++i)
        board.pass(1);
    CHECK(!board.has_expired(board.open()[0]));
    board.take(said("a", study_beat{}));
    for (int i = 0; i < 9; ++i)
        board.pass(1);
    CHECK(!board.has_expired(board.open()[0]));
    board.pass(1);
    CHECK(board.has_expired(board.open()[0]));
    board.hear_all();
    CHECK(!board.has_expired(board.open()[0]));
    // A process that stood still for a day has not watched for a day.
    board.pass(86400);
    board.pass(86400);
    board.pass(86400);
    CHECK(!board.has_expired(board.open()[0]));
}

TEST_CASE("who names the claim takes it over, once; the outcome that is told first counts")
{
    study_board board = two();
    board.take(joins("c"));
    board.take(claims("a", 1, "x"));
    board.take(claims("b", 1, "x", claim_name{"a", 2})); // no such claim
    CHECK(holder(board, "x") == "a");
    board.take(claims("b", 2, "x", claim_name{"a", 1}));
    CHECK(holder(board, "x") == "b");
    board.take(claims("c", 1, "x", claim_name{"a", 1})); // too late
    CHECK(holder(board, "x") == "b");
    CHECK(board.open()[0].lost == std::vector<std::size_t>{0});
    CHECK(board.workers()[0].losses == 1);
    std::vector<std::string> const notices = board.notices();
    REQUIRE(notices.size() == 1);
    CHECK(has(notices[0], "node-a:7 was lost"));
    CHECK(has(notices[0], "node-b:7 takes over"));
    SUBCASE("the lost one comes back first")
    {
        board.take(tells("a", 1, "x", 3));
        board.take(tells("b", 2, "x", 4));
        CHECK(board.workers()[1].late == 1);
    }
    SUBCASE("it comes back last")
    {
        board.take(tells("b", 2, "x", 3));
        board.take(tells("a", 1, "x", 4));
        CHECK(board.workers()[0].late == 1);
    }
    REQUIRE(board.outcomes().size() == 1);
    CHECK(std::get<attune::measurement>(board.outcomes()[0].seen.result).value == 3);
    CHECK(board.open().empty());
}

TEST_CASE("the claims of a worker that leaves are free")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    board.take(said("a", study_leave{}));
    CHECK(board.open().empty());
    board.take(claims("b", 1, "x"));
    CHECK(holder(board, "x") == "b");
    CHECK(board.open()[0].lost.empty());
}

TEST_CASE("nonsense changes nothing, and its writer is named once")
{
    study_board board = two();
    auto const only_notice = [&] {
        std::vector<std::string> const all = board.notices();
        return all.size() == 1 ? all[0] : std::to_string(all.size()) + " notices";
    };
    board.take(claims("a", 1, "xyz"));
    CHECK(has(only_notice(), "node-a:7 is refused: not in the space"));
    board.take(claims("a", 2, "xyz"));
    CHECK(only_notice() == "0 notices");
    CHECK(board.workers()[0].refused == 2);
    board.take(claims("b", 1, "x"));
    board.take(tells("b", 1, "x", std::numeric_limits<double>::quiet_NaN()));
    CHECK(has(only_notice(), "node-b:7 is refused: its value is not finite"));
    CHECK(board.open().empty()); // another one evaluates it
    CHECK(board.outcomes().empty());
    board.take(tells("nobody", 1, "x"));
    CHECK(has(only_notice(), "'nobody'"));
    board.take("{\"by\":\"a\"");
    CHECK(has(only_notice(), "damaged"));
    board.take(joins("a"));
    CHECK(board.workers().size() == 2);
    board.take(said("a", study_other{})); // of a later release
    CHECK(board.workers()[0].refused == 3);
}

TEST_CASE("whatever the lines, all readers agree, and each configuration counts once at most")
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        attune::random_engine engine(seed);
        std::vector<std::string> const workers{"a", "b", "c"};
        auto const any = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
        study_board first = two(), second = two();
        std::vector<std::string> lines{joins("c")};
        // The first outcome of a value that was told under a claim that once held it.
        for (int i = 0; i < 60; ++i) {
            std::string const by = workers[any(3)];
            std::string const value(1, static_cast<char>('p' + any(4)));
            switch (any(5)) {
            case 0:
            case 1:
                lines.push_back(claims(by, any(4), value));
                break;
            case 2:
                lines.push_back(claims(by, any(4), value, claim_name{workers[any(3)], any(4)}));
                break;
            case 3:
                lines.push_back(tells(by, any(4), value, static_cast<double>(i)));
                break;
            default:
                lines.push_back(any(4) == 0 ? said(by, study_leave{}) : said(by, study_beat{}));
            }
        }
        for (std::string const& line : lines) {
            first.take(line);
            first.pass(1); // time decides nothing of what counts
            std::set<value_texts> held;
            for (open_claim const& one : first.open()) {
                CHECK(held.insert(one.values).second);
                CHECK(!first.has_outcome(one.values));
            }
        }
        for (std::string const& line : lines)
            second.take(line);
        std::set<value_texts> told;
        REQUIRE(first.outcomes().size() == second.outcomes().size());
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < first.outcomes().size(); ++i) {
            CHECK(first.outcomes()[i].values == second.outcomes()[i].values);
            CHECK(first.outcomes()[i].worker == second.outcomes()[i].worker);
            CHECK(told.insert(first.outcomes()[i].values).second);
        }
        for (study_worker const& one : first.workers())
            sum += one.evaluations;
        CHECK(sum == first.outcomes().size());
    }
}
