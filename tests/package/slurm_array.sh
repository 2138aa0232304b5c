#!/bin/sh
# sh slurm_array.sh SCRIPT PROGRAM ATTUNE : the example's array under a Slurm of its own, with one node, this machine.
# All that Slurm reads and writes is in a scratch folder; its daemons listen on 127.0.0.1 and end with this script.
# SPDX-License-Identifier: MIT
set -u
script=$1
program=$2
attune=$3
for tool in munged slurmctld slurmd sbatch; do
    PATH="$PATH:/usr/sbin:/sbin" command -v $tool > /dev/null || {
        echo "skipped: $tool was not found (Debian: slurm-wlm and munge)"
        exit 0
    }
done
PATH="$PATH:/usr/sbin:/sbin"
until_s=$(($(date +%s) + 240)) # everything ends by then
host=$(hostname)
# munged wants folders that all may pass through, up to the root; those of a build may be closed.
scratch=$(mktemp -d /tmp/attune_slurm.XXXXXX) || exit 1
chmod 711 "$scratch"
daemons=""

# Ends all that was started: the jobs, the daemons, and what is still at work in the scratch folder.
finish() {
    trap - EXIT
    cd /
    [ -z "$daemons" ] || timeout 10 scancel --user="$(id -un)" > /dev/null 2>&1
    for daemon in $daemons; do kill "$daemon" 2> /dev/null; done
    sleep 1
    for process in /proc/[0-9]*; do
        case "$(readlink "$process/cwd") " in
            "$scratch"/*) kill -KILL "${process#/proc/}" 2> /dev/null ;;
        esac
    done
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP
skip() {
    echo "skipped: $1"
    exit 0
}
fail() {
    echo "$1"
    tail -n 20 "$scratch"/log/* "$scratch"/*/*.out
    exit 1
}
expect() { # FILE PATTERN : a line of the file matches
    grep -Eq -e "$2" "$1" || {
        cat "$1"
        fail "no line of $1 is '$2'"
    }
}
pause() { # WHAT : what is awaited
    [ "$(date +%s)" -lt $until_s ] || fail "time is over: $1"
    sleep 0.3
}
free_port() { # FIRST : the first port from there that nobody listens on
    port=$1
    while grep -qi ":$(printf %04X "$port") .* 0A " /proc/net/tcp /proc/net/tcp6 2> /dev/null; do port=$((port + 1)); done
    echo "$port"
}

cd "$scratch" || exit 1
mkdir -m 711 munge
mkdir -m 700 log state spool
(umask 077 && head -c 128 /dev/urandom > munge/key)
control_port=$(free_port $((20000 + $$ % 10000)))
node_port=$(free_port $((control_port + 1)))
cat > slurm.conf << CONF
ClusterName=attune
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$node_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/state/slurmctld.pid
SlurmdPidFile=$scratch/state/slurmd.pid
SlurmctldLogFile=$scratch/log/slurmctld
SlurmdLogFile=$scratch/log/slurmd
MailProg=/bin/true
KillWait=2
SlurmdParameters=config_overrides
NodeName=here NodeHostname=$host NodeAddr=127.0.0.1 CPUs=64
PartitionName=all Nodes=here Default=YES
CONF
export SLURM_CONF="$scratch/slurm.conf"
munged --foreground --socket="$scratch/munge/socket" --key-file="$scratch/munge/key" --pid-file="$scratch/munge/pid" \
    --seed-file="$scratch/munge/seed" --log-file="$scratch/log/munged" > log/munged.out 2>&1 &
daemons=$!
await_daemon() { # NAME PATTERN COMMAND... : until the command prints that, for 60 s or while the daemon is there
    name=$1 pattern=$2 give_up_s=$(($(date +%s) + 60))
    shift 2
    until [ "$("$@" 2> /dev/null)" = "$pattern" ]; do
        if [ "$(date +%s)" -gt $give_up_s ] || ! kill -0 "${daemons%% *}" 2> /dev/null; then
            skip "$name does not start here: $(tail -n 1 "log/$name.out")"
        fi
        sleep 0.5
    done
}
await_daemon munged "$scratch/munge/socket" ls "$scratch/munge/socket"
slurmctld -D > log/slurmctld.out 2>&1 &
daemons="$! $daemons"
slurmd -D -N here > log/slurmd.out 2>&1 &
daemons="$! $daemons"
await_daemon slurmd idle timeout 5 sinfo --noheader --format=%t

# FOLDER MILLISECONDS : four jobs, each an evaluation at a time. Sets `job` and `study`.
submit() {
    mkdir "$scratch/$1" && cd "$scratch/$1" && ln -s "$program" shared_study
    study="$scratch/$1/studies/application.study"
    job=$(STUDY_FOLDER="$scratch/$1/studies" timeout 20 sbatch --parsable --array=1-4 "$script" "$2") || fail "sbatch fails"
}
lines() { # WHAT : lines of the study that say it
    grep -c "\"$1\":" "$study" 2> /dev/null
}
await() { # WHAT COUNT
    while [ "$(lines "$1")" -lt "$2" ] 2> /dev/null || [ ! -f "$study" ]; do pause "$2 lines of '$1' in $study"; done
}
await_end() {
    while [ -n "$(timeout 20 squeue --noheader --jobs="$job")" ]; do pause "the end of job $job"; done
}
# The space has 69 configurations. 4 of them fail.
check_outcomes() {
    [ "$(lines told)" = 69 ] || fail "$(lines told) outcomes were told, not 69"
    [ "$(sed -n 's/.*"told":\(\[[^]]*]\).*/\1/p' "$study" | sort -u | wc -l)" = 69 ] || fail "an outcome was told twice"
}
check_output() { # TASK : its result is that of the program alone
    head -n 2 "slurm-${job}_$1.out" | diff - "$scratch/alone/out" || fail "task $1 has another result than a process alone"
}

mkdir alone && cd alone && timeout 60 "$program" > said && head -n 2 said > out && expect out "^69 evaluations, 4 failed, ended by: space$"

# All four run to the end.
submit whole 100
await told 12
"$attune" status "$study" > during || fail "attune status fails"
expect during "^application: [0-9]+ outcomes, [1-4] in work, [1-9][0-9.e+]* a minute of workers"
expect during "^best [0-9.]+ at BLOCKS=[0-9]+ DEPTH=[0-9]+, by $host:[0-9]+$"
expect during "^$host:[0-9]+ +evaluates .* BLOCKS=[0-9]+ DEPTH=[0-9]+ *$"
await_end
check_outcomes
for task in 1 2 3 4; do check_output $task; done
[ "$(grep -Ec "^$host:[0-9]+: [1-9][0-9]* evaluations" "slurm-${job}_1.out")" -ge 2 ] || fail "one worker did everything"
"$attune" status "$study" > after || fail "attune status fails"
expect after "^application: 69 outcomes, 0 in work, "
expect after "^best 60 at BLOCKS=6 DEPTH=4, by $host:[0-9]+$"
expect after "^$host: 4 workers, 69 outcomes, 4 failed, 0 lost$"
echo "four jobs of an array:"
cat during after

# Slurm kills the first job, and lets the second end what it is at; the others have the result.
submit cut 1000
await join 4
await told 8
timeout 20 scancel "${job}_1" || fail "scancel fails"
timeout 20 scancel --batch --signal=INT "${job}_2" || fail "scancel fails"
await_end
check_outcomes
check_output 3
check_output 4
expect "slurm-${job}_1.out" "CANCELLED"
expect "slurm-${job}_2.out" "ended by: interrupted$"
"$attune" status "$study" > after || fail "attune status fails"
# A claim without an outcome is one that another process took over; a job may also be cancelled between two.
lost=$(($(lines claim) - 69))
expect after "^$host: 4 workers, 69 outcomes, 4 failed, $lost lost$"
[ $lost = 0 ] || expect after "^$host:[0-9]+ +lost .* $lost *$"
expect after "^application: 69 outcomes, 0 in work, "
expect after "^best 60 at BLOCKS=6 DEPTH=4, by $host:[0-9]+$"
echo "one was cancelled and one interrupted:"
cat after
