#!/bin/bash
# A Slurm cluster of four hosts on one machine, for a test: each has a name, an address and a network of its own, and no
# port of the machine is taken. All processes are in one namespace of process numbers and end with its first one.
# With "disks", each has a /dev/shm and a /var/tmp of its own as well.
#   slurm-hosts.sh up DIR [disks]    starts it; needs root, slurmctld, slurmd, srun and munged
#   slurm-hosts.sh in DIR COMMAND…   runs a command on its controller, where srun finds it
#   slurm-hosts.sh on DIR HOST COMMAND…   runs a command on a host
#   slurm-hosts.sh lose DIR HOST     ends all processes of a host at once
#   slurm-hosts.sh down DIR          ends it
set -euo pipefail

network=10.77.0
hosts=(1 2 3 4)
command=$1
dir=$(readlink -f "$2")
shift 2

# The first process within the namespaces, as the one outside sees it.
first_within() {
  local children
  read -r -a children <"/proc/$1/task/$1/children"
  echo "${children[0]}"
}

write_configuration() {
  {
    echo "127.0.0.1 localhost"
    echo "$network.254 ctl"
    for i in "${hosts[@]}"; do echo "$network.$i host$i"; done
  } >hosts
  mount --bind hosts /etc/hosts
  # Without it slurmd wants /sys/fs/cgroup mounted.
  echo CgroupPlugin=cgroup/v1 >cgroup.conf
  cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=ctl
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdPidFile=$dir/%n.pid
SlurmdLogFile=$dir/%n.log
SlurmdSpoolDir=$dir/spool.%n
TmpFS=$dir/tmp.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=host[1-4] CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  # So soon a host that is lost is known to be down.
  if [ "$disks" = disks ]; then echo SlurmdTimeout=20 >>slurm.conf; fi
}

# By force: else every folder above its socket would have to be open to all, which those of tests are not.
start_munge() {
  rm -f munge.key
  (umask 077 && mungekey --create --keyfile=munge.key)
  munged -F --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" --num-threads=1 >munged.out 2>&1 &
  until [ -S munge.sock ]; do sleep 0.05; done
}

# A host waits in its namespaces until its end of the link has come, then runs slurmd.
start_host() {
  local name=host$1 process
  mkdir -p "spool.$name" "tmp.$name" "disk.$name"
  # shellcheck disable=SC2016 # expanded within the namespaces
  unshare --net --uts --mount sh -c 'hostname "$1"
    if [ "$4" = disks ]; then mount -t tmpfs tmpfs /dev/shm; mount --bind "$3" /var/tmp; fi
    until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
    ip link set lo up; ip addr add "$2/24" dev eth0; ip link set eth0 up
    exec slurmd -D' host "$name" "$network.$1" "$dir/disk.$name" "$disks" >"$name.out" 2>&1 &
  process=$!
  echo $process >"$name.process"
  until [ "$(readlink "/proc/$process/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
  ip link add "veth$1" type veth peer name eth0 netns "$process"
  ip link set "veth$1" master br0 up
}

case $command in
  up)
    mkdir -p "$dir"
    rm -f "$dir/ready"
    setsid unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc bash "$0" init "$dir" "$@" \
      >"$dir/init.log" 2>&1 </dev/null &
    echo $! >"$dir/pid"
    for _ in $(seq 600); do
      if [ -e "$dir/ready" ]; then exit 0; fi
      sleep 0.1
    done
    tail -5 "$dir"/*.log >&2
    exit 1
    ;;
  init)
    disks=${1-none}
    export SLURM_CONF=$dir/slurm.conf
    cd "$dir"
    mkdir -p state
    hostname ctl
    ip link set lo up
    ip link add br0 type bridge
    ip addr add "$network.254/24" dev br0
    ip link set br0 up
    write_configuration
    start_munge
    slurmctld -D >slurmctld.out 2>&1 &
    for i in "${hosts[@]}"; do start_host "$i"; done
    until [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = "${#hosts[@]}" ]; do sleep 0.1; done
    touch ready
    while :; do wait -n || sleep 1; done
    ;;
  in)
    exec nsenter -t "$(first_within "$(cat "$dir/pid")")" -m -n -u -i -p -r -w env SLURM_CONF="$dir/slurm.conf" "$@"
    ;;
  on)
    host=$1
    shift
    exec bash "$0" in "$dir" nsenter -t "$(cat "$dir/$host.process")" -m -n -u "$@"
    ;;
  lose)
    exec bash "$0" in "$dir" bash "$0" lose-within "$dir" "$1"
    ;;
  lose-within)
    network=$(readlink "/proc/$(cat "$dir/$1.process")/ns/net")
    for _ in 1 2 3; do # again for children that a process started before its end
      for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/ns/net")" = "$network" ]; then kill -KILL "${process#/proc/}" || true; fi
      done
    done
    ;;
  down)
    process=$(cat "$dir/pid")
    first=$(first_within "$process")
    kill -9 "$process"
    while [ -d "/proc/$first" ]; do sleep 0.05; done
    ;;
  *)
    echo "slurm-hosts.sh $command: expected up, in, on, lose or down" >&2
    exit 2
    ;;
esac
