# SPDX-License-Identifier: Apache-2.0
"""Two tasks of two users at a node's descriptor socket: a victim, and one that attacks it."""
import errno
import hashlib
import hmac
import mmap
import os
import socket
import struct
import sys
import threading

(HELLO, CHALLENGE, PROOF, WELCOME, REFUSED, OPEN, TAKE, TAKEN, GROW, COMPLETE, DELETE, COMMIT,
 CLOSE, GRANTED, DONE, FULL, FAILED) = range(1, 18)
MARK = b'BYTES-OF-THE-VICTIM.'
MIB = 1 << 20


def put(text):
    return struct.pack('>H', len(text)) + text


class Node:
    def __init__(self, path, tier):
        self.tier = tier
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)

    def send(self, kind, number=0, name='', text='', block=b''):
        body = struct.pack('>q', number) + put(name.encode()) + put(text.encode()) + put(block)
        self.socket.sendall(struct.pack('>BBI', kind, 1, len(body)) + body)

    def exactly(self, count):
        read = b''
        while len(read) < count:
            part = self.socket.recv(count - len(read))
            if not part:
                raise EOFError()
            read += part
        return read

    def receive(self):
        kind, _, length = struct.unpack('>BBI', self.exactly(6))
        body = self.exactly(length)
        number, = struct.unpack_from('>q', body)
        fields = []
        at = 8
        for _ in range(3):
            size, = struct.unpack_from('>H', body, at)
            fields.append(body[at + 2:at + 2 + size])
            at += 2 + size
        return kind, number, fields[1].decode(), fields[2]

    def ask(self, *message, **fields):
        self.send(*message, **fields)
        return self.receive()

    def prove(self, job, attempt, secret, replayed=None):
        nonce = replayed[0] if replayed else os.urandom(16)
        _, _, _, other = self.ask(HELLO, self.tier, job, attempt, nonce)
        text = (put(b'spillway descriptors task') + put(nonce) + put(other) + put(job.encode())
                + put(attempt.encode()) + struct.pack('>q', self.tier))
        self.proof = hmac.new(secret, text, hashlib.sha256).digest() if secret else replayed[1]
        self.nonce = nonce
        kind, _, text, _ = self.ask(PROOF, block=self.proof)
        return {WELCOME: 'welcome', REFUSED: 'refused'}[kind]

    def open(self, name, length):
        """A descriptor as a task's JVM has it: opened once more, for reading and writing."""
        kind, _, path, _ = self.ask(OPEN, length, name)
        if kind != GRANTED:
            return kind, path
        self.send(TAKE)
        _, (passed,), _, _ = socket.recv_fds(self.socket, 1, 1)
        opened = os.open('/proc/self/fd/%d' % passed, os.O_RDWR)
        self.passed = passed
        assert self.ask(TAKEN)[0] == DONE
        return opened, path


def attempted(action):
    try:
        action()
        return 'done'
    except PermissionError:
        return 'denied'
    except OSError as e:
        return errno.errorcode[e.errno]


def victim(path, tier, job, attempt, secret):
    first = Node(path, tier)
    assert first.prove(job, attempt + '_0', secret) == 'welcome'
    output, _ = first.open('file.out', MIB)
    os.write(output, MARK * (MIB // len(MARK)))
    _, _, place, _ = first.ask(COMPLETE, MIB // len(MARK) * len(MARK), 'file.out')
    assert first.ask(COMMIT)[0] == DONE
    second = Node(path, tier)
    assert second.prove(job, attempt + '_1', secret) == 'welcome'
    spill, spilling = second.open('spill0', MIB)
    os.write(spill, MARK * 1000)
    ended = threading.Thread(target=sys.stdin.read, daemon=True)
    ended.start()
    print(place, spilling, first.nonce.hex(), first.proof.hex(), flush=True)
    turn = 0
    while ended.is_alive():
        again, _ = second.open('turn%d' % turn, MIB // 4)
        os.write(again, MARK * 10000)
        os.close(again)
        os.close(second.passed)
        assert second.ask(DELETE, 0, 'turn%d' % turn)[0] == DONE
        turn += 1
    print('turns=%d' % turn, flush=True)


def attack(path, tier, job, attempt, secret, other, place, spilling, nonce, proof, pid, node):
    other_job, other_attempt, other_secret = other
    folder = os.path.dirname(place)
    root = folder.split('/apps/')[0]
    home = os.environ['HOME']
    told = {}

    def tell(name, result):
        told[name] = result

    # By paths.
    tell('list the root', attempted(lambda: os.listdir(root)))
    tell('list the folder', attempted(lambda: os.listdir(folder)))
    tell('open an output', attempted(lambda: os.open(place, os.O_RDONLY)))
    tell('open a spill', attempted(lambda: os.open(spilling, os.O_RDWR)))
    tell('size of an output', attempted(lambda: os.stat(place)))
    tell('hard link', attempted(lambda: os.link(place, home + '/link')))
    os.symlink(place, home + '/symlink')
    tell('symbolic link', attempted(lambda: os.open(home + '/symlink', os.O_RDONLY)))
    tell('rename', attempted(lambda: os.rename(place, home + '/moved')))
    tell('delete', attempted(lambda: os.unlink(place)))
    tell('truncate', attempted(lambda: os.truncate(place, 0)))
    tell('make a file', attempted(
        lambda: os.open(folder + '/mine=1.lent', os.O_CREAT | os.O_WRONLY)))
    sockets = os.path.dirname(path)
    tell('list the sockets', attempted(lambda: os.listdir(sockets)))
    tell('take the socket away', attempted(lambda: os.unlink(path)))
    tell('listen beside it', attempted(
        lambda: socket.socket(socket.AF_UNIX).bind(sockets + '/another.sock')))

    # By other processes.
    tell('descriptors of the victim', attempted(lambda: os.listdir('/proc/%s/fd' % pid)))
    tell('descriptors of the node', attempted(lambda: os.listdir('/proc/%s/fd' % node)))
    tell('memory of the victim', attempted(lambda: os.open('/proc/%s/mem' % pid, os.O_RDONLY)))

    # By requests.
    tell('with its own secret', Node(path, tier).prove(other_job, other_attempt + '_5', secret))
    tell('with the stolen secret',
         Node(path, tier).prove(other_job, other_attempt + '_5', other_secret))
    tell('with a recorded proof', Node(path, tier).prove(
        other_job, other_attempt + '_0', None, (bytes.fromhex(nonce), bytes.fromhex(proof))))
    tell('with the attempt of the victim', Node(path, tier).prove(
        job, other_attempt + '_1', secret))
    own = Node(path, tier)
    assert own.prove(job, attempt, secret) == 'welcome'
    victims = '../../' + '/'.join(place.split('/')[-3:])
    for name in (victims, place, '..', 'a/b', '.hidden', 'a+1', 'a=1'):
        tell('file ' + name.replace(place, 'PLACE').replace(victims, 'VICTIMS'),
             {FAILED: 'failed'}.get(own.ask(OPEN, 10, name)[0]))
    for kind, what in ((GROW, 'grow'), (COMPLETE, 'complete'), (DELETE, 'delete')):
        tell(what + ' the spill of the victim',
             {FAILED: 'failed'}.get(own.ask(kind, 10, 'spill0')[0]))

    # By its own file.
    file, mine = own.open('spill0', MIB)
    tell('a new file', os.read(file, MIB))
    tell('read past the end', os.pread(file, MIB, MIB // 2))
    os.ftruncate(file, 4 * MIB)
    tell('after making it longer', os.pread(file, 4 * MIB, 0).strip(b'\0'))
    with mmap.mmap(file, 4 * MIB) as mapped:
        tell('mapped', mapped.find(MARK))
    if hasattr(os, 'posix_fallocate'):
        os.posix_fallocate(file, 4 * MIB, MIB)
        tell('after taking pages', os.pread(file, 5 * MIB, 0).strip(b'\0'))
    os.ftruncate(file, 0)
    descriptor = '/proc/self/fd/%d' % file
    tell('open it again', attempted(lambda: os.open(descriptor, os.O_RDONLY)))
    tell('open it again to write', attempted(lambda: os.open(descriptor, os.O_RDWR)))
    tell('change its mode', attempted(lambda: os.fchmod(file, 0o666)))
    tell('link it', attempted(
        lambda: os.link(descriptor, home + '/kept', follow_symlinks=True)))
    tell('open it by path', attempted(lambda: os.open(mine, os.O_RDONLY)))
    tell('more than the quota', {FULL: 'full'}.get(own.ask(OPEN, 1 << 30, 'big')[0]))
    tell('grow beyond the quota', {FULL: 'full'}.get(own.ask(GROW, 1 << 30, 'spill0')[0]))
    os.write(file, b'x' * 100)
    tell('complete more than written', {FAILED: 'failed'}.get(own.ask(COMPLETE, 200, 'spill0')[0]))

    # By files that the victim gives back meanwhile, and by one that it has given back itself.
    assert own.ask(DELETE, 0, 'spill0')[0] == DONE
    found = False
    for turn in range(300):
        got, _ = own.open('race%d' % turn, MIB // 4)
        found |= len(os.pread(got, MIB, 0)) > 0
        os.ftruncate(got, MIB // 4)
        found |= MARK in os.pread(got, MIB // 4, 0)
        found |= MARK in os.pread(file, MIB, 0)
        os.close(got)
        os.close(own.passed)
        assert own.ask(DELETE, 0, 'race%d' % turn)[0] == DONE
    tell('races', found)

    # By what is no request at all.
    for garbage in (b'\0' * 64, b'\x06\x01\xff\xff\xff\xff', os.urandom(300)):
        stranger = Node(path, tier)
        try:
            stranger.socket.sendall(garbage)
            stranger.socket.shutdown(socket.SHUT_WR)
            tell('garbage %r' % garbage[:2].hex() if garbage[0] < 7 else 'noise',
                 stranger.socket.recv(100))
        except OSError as e:
            tell('garbage', e)
    stranger = Node(path, tier)
    stranger.send(TAKE)
    tell('take without a proof', stranger.socket.recv(100))
    own.send(TAKE)
    tell('take without a file', own.socket.recv(100))

    for name, result in told.items():
        print('%s: %s' % (name, result if result != b'' else 'nothing'))


def main():
    role, path, tier, job, attempt, secret = sys.argv[1:7]
    if role == 'victim':
        victim(path, int(tier), job, attempt, bytes.fromhex(secret))
    else:
        other_job, other_attempt, other_secret, place, spilling, nonce, proof, pid, node = \
            sys.argv[7:]
        attack(path, int(tier), job, attempt, bytes.fromhex(secret),
               (other_job, other_attempt, bytes.fromhex(other_secret)), place, spilling, nonce,
               proof, pid, node)


main()
