// tests/environment/driver.cpp - puts a program into an unfriendly environment, and judges how it fares.
// SPDX-License-Identifier: MIT
//
//   driver CASE PROGRAM FOLDER     FOLDER is made anew and removed; without arguments: the cases
//
// Ends with 0: right results, no crash, no hang, as many notices as the case allows. 77: the
// environment cannot be set up here, with the reason. Each environment is set up between fork and
// exec.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

constexpr int skipped = 77;
constexpr uid_t no_user = 64'123; // has no other process
constexpr double limit_s = 60.0;

/// The environment of one run.
struct scene {
    fs::path folder;
    std::string program;
    std::vector<std::string> arguments{};
    std::map<std::string, std::string> variables{};
    /// Runs in the child before the program. Returns why it cannot be set up; empty: it is.
    std::function<std::string()> confine{};
    bool may_not_start = false; ///< the loader may lack memory: that is no matter of attune's

    [[nodiscard]] std::string path(std::string const& name) const
    {
        return (folder / name).string();
    }
    void store_at(std::string const& file) { arguments.insert(arguments.end(), {"--store", file}); }
};

[[nodiscard]] std::string failed(std::string const& what)
{
    return what + ": " + std::strerror(errno);
}

/// A file system of its own at folder/name, seen by this process and its children alone.
[[nodiscard]] std::string mount_small(fs::path const& at, std::string const& options,
                                      unsigned long flags = 0)
{
    if (::unshare(CLONE_NEWNS) != 0) return failed("no mount namespace");
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return failed("mounts cannot be made private");
    if (::mount("tmpfs", at.c_str(), "tmpfs", flags, options.c_str()) != 0)
        return failed("no tmpfs can be mounted");
    return {};
}

/// Writes until nothing fits any more, not even a folder.
void fill(fs::path const& at)
{
    int const file = ::open((at / "filler").c_str(), O_WRONLY | O_CREAT, 0600);
    char const bytes[4096] = {};
    while (::write(file, bytes, sizeof bytes) > 0) {
    }
    ::close(file);
    for (int i = 0; i < 100'000; ++i)
        if (::mkdir((at / std::to_string(i)).c_str(), 0700) != 0) return;
}

[[nodiscard]] std::string limit(__rlimit_resource_t what, rlim_t most)
{
    rlimit const both{most, most};
    return ::setrlimit(what, &both) == 0 ? "" : failed("the limit cannot be set");
}

[[nodiscard]] std::string become(uid_t user)
{
    if (::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)
        return failed("the user cannot be changed");
    return {};
}

[[nodiscard]] std::string install_filter(std::vector<sock_filter> code)
{
    sock_fprog const program{static_cast<unsigned short>(code.size()), code.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return failed("no seccomp filter can be installed");
    return {};
}

constexpr unsigned at_number = offsetof(seccomp_data, nr);
constexpr unsigned at_arch = offsetof(seccomp_data, arch);
/// The low half of an argument of the call, on a little-endian machine.
[[nodiscard]] constexpr unsigned at_argument(unsigned i)
{
    return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8 * i;
}
[[nodiscard]] sock_filter load(unsigned at) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at); }
[[nodiscard]] sock_filter returns(unsigned what) { return BPF_STMT(BPF_RET | BPF_K, what); }
[[nodiscard]] sock_filter is(unsigned value, unsigned char yes, unsigned char no)
{
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}
[[nodiscard]] sock_filter has_bits(unsigned bits, unsigned char yes, unsigned char no)
{
    return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no);
}
constexpr unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
constexpr unsigned unknown = SECCOMP_RET_ERRNO | ENOSYS;

/// Memory that is not a file's never becomes executable.
[[nodiscard]] std::string no_executable_memory()
{
    constexpr unsigned exec = 4;       // PROT_EXEC
    constexpr unsigned anonymous = 32; // MAP_ANONYMOUS
    return install_filter({
        load(at_arch),
        is(AUDIT_ARCH_X86_64, 1, 0),
        returns(SECCOMP_RET_ALLOW),
        load(at_number),
        is(SYS_mprotect, 5, 0),
        is(SYS_pkey_mprotect, 4, 0),
        is(SYS_mmap, 0, 6),
        load(at_argument(3)),
        has_bits(anonymous, 1, 0),
        returns(SECCOMP_RET_ALLOW),
        load(at_argument(2)),
        has_bits(exec, 0, 1),
        returns(refuse),
        returns(SECCOMP_RET_ALLOW),
    });
}

/// No new process; threads go on. What clone3 is asked for cannot be seen: glibc then uses clone.
[[nodiscard]] std::string no_fork()
{
    constexpr unsigned thread = 0x00010000; // CLONE_THREAD
    return install_filter({
        load(at_arch),
        is(AUDIT_ARCH_X86_64, 1, 0),
        returns(SECCOMP_RET_ALLOW),
        load(at_number),
        is(SYS_fork, 6, 0),
        is(SYS_vfork, 5, 0),
        is(SYS_clone3, 5, 0),
        is(SYS_clone, 0, 2),
        load(at_argument(0)),
        has_bits(thread, 0, 1),
        returns(SECCOMP_RET_ALLOW),
        returns(refuse),
        returns(unknown),
    });
}

using prepare = std::function<std::string(scene&)>;

std::vector<std::string> const no_tuning{"served_fallback", "served_default"};
std::vector<std::string> const tuning{"tuned", "kept_default"};

void hide_compilers(scene& s)
{
    fs::create_directories(s.folder / "empty");
    s.variables["PATH"] = s.path("empty");
    s.variables["ATTUNE_CLANG_MODULE"] = s.path("empty/libattune_clang.so");
}

[[nodiscard]] std::string preload(scene& s, std::vector<std::string> const& names)
{
    // Not opened here: some cannot be once a program runs.
    for (std::string const& name : names)
        for (char const* folder :
             {"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/", "/usr/local/lib/"})
            if (fs::exists(folder + name)) {
                s.variables["LD_PRELOAD"] = folder + name;
                return {};
            }
    return names.front() + " is not installed";
}

/// Runs the scene in a friendly environment first, so that store and cache are full.
void run_once(scene const& s);

/// A case: what is made of a scene, and what is demanded then.
struct environment {
    prepare make;
    std::vector<std::string> how{}; ///< decisions that are right; empty: any
    int least_notices = 0;
    int most_notices = 1;
};

/// @param at    of the store in the folder; empty: there is none
/// @param acts  on the scene, one after the other
template <class... Acts>
[[nodiscard]] prepare with_store(std::string const& at, Acts... acts)
{
    return [=](scene& s) {
        if (!at.empty()) s.store_at(s.path(at));
        (acts(s), ...);
        return ""s;
    };
}

/// A file system of its own at folder/small, which may be full.
[[nodiscard]] auto mounts(std::string const& options, unsigned long flags = 0, bool is_full = false)
{
    return [=](scene& s) {
        fs::create_directories(s.folder / "small");
        s.confine = [=, at = s.path("small")] {
            std::string const reason = mount_small(at, options, flags);
            if (reason.empty() && is_full) fill(at);
            return reason;
        };
    };
}
[[nodiscard]] auto confined(std::function<std::string()> const& by)
{
    return [=](scene& s) { s.confine = by; };
}
/// The variable names a place in the folder.
[[nodiscard]] auto variable(char const* name, char const* place)
{
    return [=](scene& s) { s.variables[name] = s.path(place); };
}

[[nodiscard]] std::string german(scene& s)
{
    std::string const made = s.path("de_DE.UTF-8");
    std::string const make = "localedef -i de_DE -f UTF-8 '" + made + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) > 1 * 256 || !fs::exists(made))
        return "there is no locale de_DE.UTF-8, and localedef does not make it"s;
    s.variables["LOCPATH"] = s.folder.string();
    s.variables["LC_ALL"] = "de_DE.UTF-8";
    s.arguments.push_back("--locale");
    s.store_at(s.path("scale.attune"));
    run_once(s); // written and read again with a decimal comma
    return {};
}

[[nodiscard]] std::string no_more_processes(scene& s)
{
    for (fs::path at = s.folder; at.has_relative_path(); at = at.parent_path())
        if (fs::path const above = at.parent_path(); ::access(above.c_str(), X_OK) != 0)
            return failed(above.string());
    if (::chown(s.folder.c_str(), no_user, no_user) != 0)
        return failed("files cannot be given to another user");
    s.variables["ATTUNE_CACHE"] = s.path("cache");
    s.store_at(s.path("scale.attune"));
    s.confine = [] {
        std::string const reason = become(no_user);
        return reason.empty() ? limit(RLIMIT_NPROC, 1) : reason;
    };
    return {};
}

[[nodiscard]] std::string with_setuid(scene& s)
{
    struct statvfs about{};
    if (::statvfs(s.folder.c_str(), &about) != 0 || (about.f_flag & ST_NOSUID) != 0)
        return "the file system of the build ignores the bit"s;
    std::string const copy = s.path("program");
    fs::copy_file(s.program, copy);
    uid_t const owner = ::geteuid() == 0 ? no_user : ::geteuid();
    if (::geteuid() != 0) return "only root can give a program to another user"s;
    if (::chown(copy.c_str(), owner, owner) != 0 || ::chmod(copy.c_str(), 06755) != 0)
        return failed("the bit cannot be set");
    if (::chown(s.folder.c_str(), owner, owner) != 0)
        return failed("files cannot be given to another user");
    s.program = copy;
    s.variables["ATTUNE_CLANG_MODULE"] = s.path("hostile.so");
    s.store_at(s.path("scale.attune"));
    return {};
}

[[nodiscard]] std::map<std::string, environment> cases()
{
    std::string const store = "scale.attune";
    std::string const small_store = "small/scale.attune";
    std::vector<std::string> const remembered{"remembered"};
    auto const no_llvm = variable("ATTUNE_CLANG_MODULE", "libattune_clang.so");
    auto const small_cache = variable("ATTUNE_CACHE", "small/cache");
    auto const small_tmp = variable("TMPDIR", "small");
    auto const small_home = variable("HOME", "small");
    auto const full = mounts("size=64k,nr_inodes=64", 0, true);
    auto const children_ignored = confined([] {
        std::signal(SIGCHLD, SIG_IGN);
        return ""s;
    });
    auto const preloaded = [=](std::vector<std::string> const& names) -> prepare {
        return [=](scene& s) {
            s.store_at(s.path(store));
            return preload(s, names);
        };
    };
    std::map<std::string, environment> all;
    all["friendly"] = {with_store(store), tuning, 0, 0};
    all["no_compiler"] = {with_store(store, hide_compilers), {"served_fallback"}, 1};
    all["no_compiler_but_remembered"] = {with_store(store, run_once, hide_compilers), remembered};
    all["no_llvm_then_no_compiler_but_remembered"] = {
        with_store(store, no_llvm, run_once, hide_compilers), remembered};
    all["no_llvm"] = {with_store(store, no_llvm), tuning, 1};
    all["read_only_store"] = {with_store(small_store, mounts("size=64k", MS_RDONLY)), {}, 1};
    all["read_only_everything"] = {with_store(small_store, mounts("size=64k", MS_RDONLY),
                                              variable("ATTUNE_CACHE", "small"), small_home,
                                              small_tmp),
                                   {},
                                   1};
    all["full_disk"] = {with_store(small_store, full, small_cache, small_tmp), {}, 1};
    all["nearly_full_disk"] = {with_store(small_store, mounts("size=16k"), small_cache, small_tmp)};
    all["files_of_no_size"] = {
        with_store(store, confined([] { return limit(RLIMIT_FSIZE, 0); })), {}, 1};
    all["home_over_quota"] = {with_store(small_store, full, small_home,
                                         [](scene& s) { s.variables.erase("ATTUNE_CACHE"); }),
                              {},
                              1};
    all["store_is_a_folder"] = {
        with_store(store, [](scene& s) { fs::create_directories(s.folder / "scale.attune"); }),
        {},
        1};
    all["store_is_noise"] = {with_store(store, [](scene& s) {
        std::ofstream file(s.folder / "scale.attune", std::ios::binary);
        for (int i = 0; i < 10'000; ++i)
            file.put(static_cast<char>((i * 7919) % 251));
    })};
    // no module; no room for the compiler
    all["address_space_64_mib"] = {
        with_store(store, confined([] { return limit(RLIMIT_AS, rlim_t{64} << 20); }),
                   [](scene& s) { s.may_not_start = true; }),
        {},
        0,
        2};
    all["data_64_mib"] = {
        with_store(store, confined([] { return limit(RLIMIT_DATA, rlim_t{64} << 20); }))};
    all["german"] = {german, remembered, 0, 0};
    all["children_ignored"] = {with_store(store, children_ignored), tuning};
    all["children_ignored_no_llvm"] = {with_store("", no_llvm, children_ignored), tuning};
    all["cache_not_executable"] = {with_store(store, mounts("size=64m", MS_NOEXEC), small_cache),
                                   tuning};
    // no module; what c++ makes may not run
    all["nothing_executable_no_llvm"] = {
        with_store("", mounts("size=64m", MS_NOEXEC), small_cache, small_tmp, no_llvm),
        {"served_fallback"},
        1,
        2};
    all["no_executable_memory"] = {with_store(store, confined(&no_executable_memory))};
    all["no_fork"] = {with_store(store, confined(&no_fork))};
    all["no_fork_no_llvm"] = {with_store("", no_llvm, confined(&no_fork)), no_tuning, 1};
    all["no_more_processes"] = {no_more_processes};
    all["tcmalloc"] = {preloaded({"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"})};
    all["jemalloc"] = {preloaded({"libjemalloc.so.2", "libjemalloc.so.1"})};
    all["setuid"] = {with_setuid};
    return all;
}

struct ended {
    int status = 0;
    bool in_time = true;
    double seconds = 0;
    std::string out;
    std::string err;
};

[[nodiscard]] ended run(scene const& s)
{
    int out[2], err[2];
    if (::pipe(out) != 0 || ::pipe(err) != 0) std::abort();
    auto const began = std::chrono::steady_clock::now();
    pid_t const child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        for (int const end : {out[0], out[1], err[0], err[1]})
            ::close(end);
        std::vector<std::string> texts;
        for (auto const& [name, value] : s.variables)
            texts.push_back(name + '=' + value);
        std::vector<char*> environment, arguments;
        for (std::string& text : texts)
            environment.push_back(text.data());
        std::vector<std::string> words{s.program};
        words.insert(words.end(), s.arguments.begin(), s.arguments.end());
        for (std::string& word : words)
            arguments.push_back(word.data());
        environment.push_back(nullptr);
        arguments.push_back(nullptr);
        std::string const reason = s.confine ? s.confine() : "";
        if (!reason.empty()) {
            std::printf("skip=%s\n", reason.c_str());
            std::fflush(stdout);
            ::_exit(skipped);
        }
        ::execve(s.program.c_str(), arguments.data(), environment.data());
        std::printf("skip=%s\n", failed("the program cannot be started").c_str());
        std::fflush(stdout);
        ::_exit(skipped);
    }
    ::close(out[1]);
    ::close(err[1]);
    ended end;
    pollfd watched[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
    std::string* const texts[2] = {&end.out, &end.err};
    auto const passed_s = [&] {
        std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - began;
        return passed.count();
    };
    while ((watched[0].fd >= 0 || watched[1].fd >= 0) && end.in_time) {
        ::poll(watched, 2, 200);
        for (int i = 0; i < 2; ++i)
            if (watched[i].fd >= 0 && watched[i].revents != 0) {
                char bytes[4096];
                ssize_t const got = ::read(watched[i].fd, bytes, sizeof bytes);
                if (got > 0)
                    texts[i]->append(bytes, static_cast<std::size_t>(got));
                else
                    watched[i].fd = -1;
            }
        if (passed_s() > limit_s) end.in_time = false;
    }
    if (!end.in_time) ::kill(-child, SIGKILL);
    ::waitpid(child, &end.status, 0);
    end.seconds = passed_s();
    ::close(out[0]);
    ::close(err[0]);
    return end;
}

void run_once(scene const& s)
{
    ended const end = run(s);
    std::printf("first run:\n%s%s", end.out.c_str(), end.err.c_str());
}

[[nodiscard]] std::string value_of(std::string const& text, std::string const& name)
{
    std::istringstream words(text);
    for (std::string line; std::getline(words, line);) {
        std::size_t at = 0;
        while ((at = line.find(name + '=', at)) != std::string::npos) {
            if (at == 0 || line[at - 1] == ' ') {
                std::size_t const begin = at + name.size() + 1;
                return line.substr(begin, line.find(' ', begin) - begin);
            }
            ++at;
        }
    }
    return {};
}

/// Notices, of one line or more, less progress and what is said of a busy machine.
[[nodiscard]] int notices_in(std::string const& text)
{
    int count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        bool const is_progress = line.find(": tuning, ") != std::string::npos ||
                                 line.find(", best ") != std::string::npos ||
                                 line.find("speed changed while tuning") != std::string::npos ||
                                 line.find("disturbed while tuning") != std::string::npos ||
                                 line.find(" evaluations in ") != std::string::npos;
        if (line.starts_with("attune: ") && !is_progress) ++count;
    }
    return count;
}

/// What is wrong; empty: nothing.
[[nodiscard]] std::string judge(environment const& of, ended const& end)
{
    if (!end.in_time) return "it hangs";
    if (WIFSIGNALED(end.status)) return "it died of signal " + std::to_string(WTERMSIG(end.status));
    if (end.out.find("threw=") != std::string::npos) return "a call threw";
    if (value_of(end.out, "wrong") != "0") return "a result is wrong, or none was printed";
    if (value_of(end.out, "calls") != "7") return "it did not make all calls";
    if (WEXITSTATUS(end.status) != 0)
        return "it ended with " + std::to_string(WEXITSTATUS(end.status));
    std::string const how = value_of(end.out, "how");
    if (!of.how.empty() && std::find(of.how.begin(), of.how.end(), how) == of.how.end())
        return "the report says " + how;
    int const notices = notices_in(end.err);
    if (notices < of.least_notices || notices > of.most_notices)
        return std::to_string(notices) + " notices, not " + std::to_string(of.least_notices) +
               " to " + std::to_string(of.most_notices);
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    std::map<std::string, environment> const all = cases();
    if (argc < 4) {
        for (auto const& [name, made] : all)
            std::printf("%s\n", name.c_str());
        return 2;
    }
    auto const chosen = all.find(argv[1]);
    if (chosen == all.end()) {
        std::printf("there is no case %s\n", argv[1]);
        return 2;
    }
    std::error_code no_throw;
    fs::remove_all(argv[3], no_throw);
    fs::create_directories(argv[3]);
    scene s{fs::canonical(argv[3]), fs::canonical(argv[2]).string()};
    fs::create_directories(s.folder / "home");
    char const* const path = std::getenv("PATH");
    s.variables = {{"PATH", path != nullptr ? path : "/usr/bin:/bin"},
                   {"HOME", s.path("home")},
                   {"ATTUNE_CACHE", s.path("cache")},
                   {"LC_ALL", "C"}};
    std::string reason = chosen->second.make(s);
    ended end;
    if (reason.empty()) {
        end = run(s);
        if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == skipped)
            reason = end.out.substr(std::min(end.out.size(), std::size_t{5}));
        else if (s.may_not_start && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 127)
            reason = "the loader finds no room for the program: " + end.err;
    }
    fs::remove_all(s.folder, no_throw);
    if (!reason.empty()) {
        std::printf("skipped: %s\n", reason.c_str());
        return skipped;
    }
    std::string const problem = judge(chosen->second, end);
    std::printf("%s%s%s: %s in %.1f s\n", end.out.c_str(), end.err.c_str(), argv[1],
                problem.empty() ? "well" : problem.c_str(), end.seconds);
    return problem.empty() ? 0 : 1;
}
