// attune/ship/tool/detail/retune.hpp - attune retune: a program tunes with the arguments of a captured call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/tune/capture/call_replay.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

// --- the contents of a capture -----------------------------------------------------------------

template <class T>
[[nodiscard]] std::string number_in(std::string const& bytes)
{
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    if constexpr (std::is_floating_point_v<T>)
        return formatted("%.9g", static_cast<double>(value));
    else
        return std::to_string(value);
}

/// The number, if the type is a built-in one; otherwise its bytes.
[[nodiscard]] inline std::string text_of_value(captured_argument const& of)
{
    auto const is = [&](std::string_view name, std::size_t bytes) {
        return of.type == name && of.value.size() == bytes;
    };
    if (is("bool", sizeof(bool))) return of.value[0] != '\0' ? "true" : "false";
    if (is("int", sizeof(int))) return number_in<int>(of.value);
    if (is("unsigned int", sizeof(unsigned))) return number_in<unsigned>(of.value);
    if (is("long", sizeof(long))) return number_in<long>(of.value);
    if (is("unsigned long", sizeof(unsigned long))) return number_in<unsigned long>(of.value);
    if (is("long long", sizeof(long long))) return number_in<long long>(of.value);
    if (is("unsigned long long", sizeof(unsigned long long)))
        return number_in<unsigned long long>(of.value);
    if (is("float", sizeof(float))) return number_in<float>(of.value);
    if (is("double", sizeof(double))) return number_in<double>(of.value);
    return "a value of " + std::to_string(of.value.size()) + " bytes";
}

/// "512 x 512, 600 apart": rows, columns, elements from row to row.
[[nodiscard]] inline std::string text_of_lengths(captured_array const& of)
{
    std::size_t const lengths = of.lengths.size() == 5 ? 3 : of.lengths.size() == 3 ? 2 : 1;
    std::string out;
    for (std::size_t i = 0; i < of.lengths.size(); ++i)
        out += (i == 0         ? ""
                : i < lengths  ? " x "
                : i == lengths ? ", "
                               : " and ") +
               std::to_string(of.lengths[i]);
    return out + (lengths < of.lengths.size() ? " apart" : "");
}

[[nodiscard]] inline tool_json json_of(captured_array const& of)
{
    tool_json out;
    out["element"] = of.element;
    out["element_bytes"] = of.element_bytes;
    out["lengths"] = of.lengths;
    out["bytes"] = of.bytes;
    return out;
}

[[nodiscard]] inline tool_json json_of(captured_call const& of)
{
    tool_json out;
    out["kernel"] = of.kernel;
    out["signature"] = of.signature;
    out["inputs"] = json_of(of.inputs);
    for (captured_argument const& one : of.arguments) {
        tool_json argument = one.array ? json_of(*one.array) : tool_json::object();
        argument["type"] = one.type;
        if (!one.array) argument["value"] = text_of_value(one);
        if (!one.targets.empty()) argument["targets"] = one.targets.size();
        out["arguments"].push_back(std::move(argument));
    }
    out["bytes"] = of.bytes;
    out["when"] = of.when;
    out["attune"] = of.attune;
    return out;
}

inline void describe_capture(captured_call const& of, bool as_json, console& on)
{
    if (as_json) {
        on.out << line_of(json_of(of)) << '\n';
        return;
    }
    on.out << "kernel     " << printable(of.kernel) << "\nsignature  " << printable(of.signature)
           << "\ninputs     " << text_of(of.inputs) << "\nbytes      " << of.bytes
           << "\ncaptured   " << printable(of.when) << ", attune " << printable(of.attune)
           << "\n\n";
    text_table table{{">ARGUMENT", "TYPE", "ELEMENT", ">BYTES", "LENGTHS OR VALUE"}};
    for (std::size_t i = 0; i < of.arguments.size(); ++i) {
        captured_argument const& one = of.arguments[i];
        std::uint64_t bytes = one.array ? one.array->bytes : one.value.size();
        for (captured_array const& target : one.targets)
            bytes += target.bytes;
        table.rows.push_back({std::to_string(i), printable(one.type),
                              one.array ? printable(one.array->element) : "", std::to_string(bytes),
                              one.array ? text_of_lengths(*one.array) : text_of_value(one)});
    }
    table.write(on);
}

// --- the program -------------------------------------------------------------------------------

/// While an object lives, Ctrl-C is for the started program, which ends its tuning and then itself.
class signals_for_child {
public:
    signals_for_child()
    {
        struct ::sigaction ignore{};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &interrupt_);
        ::sigaction(SIGQUIT, &ignore, &quit_);
    }
    ~signals_for_child() { restore(); }
    signals_for_child(signals_for_child const&) = delete;
    signals_for_child& operator=(signals_for_child const&) = delete;
    void restore() const noexcept
    {
        ::sigaction(SIGINT, &interrupt_, nullptr);
        ::sigaction(SIGQUIT, &quit_, nullptr);
    }

private:
    struct ::sigaction interrupt_{};
    struct ::sigaction quit_{};
};

/// Runs a program on this one's streams, in its process group, so a terminal's Ctrl-C reaches it.
/// @return  status of wait()
/// Errors   attune::error: there is no such program, or no process
[[nodiscard]] inline int run_with(std::vector<std::string> const& program,
                                  std::map<std::string, std::string> const& variables)
{
    std::string const path = find_program(program[0]);
    if (path.empty())
        throw error("there is no such program", program[0], "give a path, or a name in PATH");
    std::vector<std::string> environment, arguments = program;
    for (std::string const& one : environment_of_children())
        if (!variables.contains(one.substr(0, one.find('=')))) environment.push_back(one);
    for (auto const& [name, value] : variables)
        environment.push_back(name + '=' + value);
    auto const pointers_to = [](std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (std::string& text : texts)
            out.push_back(text.data());
        out.push_back(nullptr);
        return out;
    };
    std::vector<char*> const words = pointers_to(arguments), names = pointers_to(environment);
    signals_for_child const signals;
    ::pid_t const child = ::fork();
    if (child == 0) {
        signals.restore();
        ::execve(path.c_str(), words.data(), names.data());
        ::_exit(127);
    }
    if (child < 0)
        throw error("no process can be started: " + std::generic_category().message(errno),
                    program[0], "end other programs first");
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// "ended with 3", "was ended by signal 9".
[[nodiscard]] inline std::string text_of_status(int status)
{
    return WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status))
                               : "ended with " + std::to_string(WEXITSTATUS(status));
}

[[nodiscard]] inline int say_result(std::map<std::string, std::string> result, words const& given,
                                    console& on)
{
    std::string const how = result["how"];
    bool const is_known = how != "no";
    if (given.has("--json")) {
        tool_json json;
        for (char const* const name :
             {"kernel", "how", "configuration", "summary", "reason", "best_s", "default_s"})
            json[name] = result[name];
        on.out << line_of(json) << '\n';
    } else if (is_known) {
        on.out << printable(result["kernel"]) << ": " << printable(result["summary"]) << '\n';
    } else {
        std::string const& why = result["reason"].empty() ? result["summary"] : result["reason"];
        on.err << "attune: retune: nothing was tuned: " << printable(why) << '\n';
    }
    return is_known ? done : answer_is_no;
}

[[nodiscard]] inline int run_retune(words const& given, console& on)
{
    std::string const path = given.plain[0];
    capture_reader file = capture_reader::of_file(path);
    captured_call const call = file.call();
    static_cast<void>(file.take_bytes()); // checks that all of it is readable
    if (given.has("--describe")) {
        describe_capture(call, given.has("--json"), on);
        return done;
    }
    if (given.behind.empty())
        throw words_error("retune: the program is missing; it is used as: attune retune CAPTURE -- "
                          "PROGRAM [ARGUMENT...]");
    temporary_folder const folder;
    std::string const report = folder.path() + "/report";
    std::map<std::string, std::string> variables{
        {"ATTUNE_REPLAY", std::filesystem::absolute(path).string()},
        {"ATTUNE_REPLAY_REPORT", report}};
    if (!given.has("--known")) variables["ATTUNE_REPLAY_ANEW"] = "1";
    on.out.flush();
    int const status = run_with(given.behind, variables);
    std::ifstream in(report, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    std::map<std::string, std::string> result;
    for (auto const& [name, value] : replay_report_in(text))
        result[name] = value;
    if (result.contains("how")) return say_result(std::move(result), given, on);
    bool const is_interrupted = WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !is_interrupted)
        throw error("the program cannot be started", given.behind[0],
                    "see whether the file is a program");
    on.err << "attune: retune: "
           << (is_interrupted
                   ? "interrupted; what was measured is in the program's store"
                   : "the program " + text_of_status(status) + " before it made a tuned kernel '" +
                         printable(call.kernel) + "'")
           << '\n';
    return is_interrupted ? interrupted : answer_is_no;
}

[[nodiscard]] inline command retune_command()
{
    return {
        .name = "retune",
        .usage = "CAPTURE [options] -- PROGRAM [ARGUMENT...]",
        .what = "Has a program tune on the arguments of a call that was captured before.",
        .options = {{"--describe", "", "what the capture holds; no program is started"},
                    {"--known", "", "what the program's store knows already is not tuned again"},
                    json_option},
        .more =
            "  ATTUNE_CAPTURE=sgemm:64MiB ./app\n"
            "  attune retune sgemm.capture -- ./app\n\n"
            "The first line has the program write the arguments of its first call of sgemm into "
            "sgemm.capture,\n"
            "64 MiB of arrays at most. The second one, at night or on another machine, starts "
            "the program, which\n"
            "tunes on them where it makes the kernel, by its own declaration, keeps the result "
            "in its own store,\n"
            "and ends. It ends with 1 where nothing was tuned: the program has no such kernel, "
            "or with other types.\n"
            "A capture holds arrays and numbers as they are in memory: treat it as the data of "
            "the program.\n",
        .least = 1,
        .most = 1,
        .run = run_retune,
        .takes_program = true,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
