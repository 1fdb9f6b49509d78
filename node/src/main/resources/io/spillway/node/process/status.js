// SPDX-License-Identifier: Apache-2.0
// Shows /status.json, anew every two seconds. All that it shows becomes text, never markup.
'use strict';

const PAUSE_MILLIS = 2000;
const MOST_TILES = 60;
const MOST_ROWS = 200;

function element(name, parts, kind) {
  const made = document.createElement(name);
  made.append(...[parts].flat().map((part) => part instanceof Node ? part : String(part)));
  if (kind) { made.className = kind; }
  return made;
}

function bytes(count) {
  if (count < 0) { return '?'; }
  const unit = Math.min(6, Math.max(0, Math.floor(Math.log10(count || 1) / 3)));
  return unit === 0 ? count + ' B' : Number((count / 1000 ** unit).toPrecision(3)) + ' ' + ' kMGTPE'[unit] + 'B';
}

function share(part, whole) {
  return whole > 0 ? Math.round(100 * Math.min(1, part / whole)) + ' % of ' + bytes(whole) : '';
}

function table(title, columns, rows) {
  if (rows.length === 0) { return []; }
  const cells = rows.slice(0, MOST_ROWS).map((row) => element('tr', row.map((cell) => element('td', cell))));
  const shown = [
    element('h2', title),
    element('table', [element('tr', columns.map((column) => element('th', column))), ...cells]),
  ];
  return rows.length > MOST_ROWS ? [...shown, element('p', 'and ' + (rows.length - MOST_ROWS) + ' more')] : shown;
}

function tile(node) {
  const lines = [
    node.state + ', heard ' + (node.silentMillis / 1000).toFixed(1) + ' s ago',
    share(node.usedBytes + node.leasedBytes, node.capacityBytes) || 'gives no memory',
    bytes(node.usedBytes) + ' held, ' + bytes(node.leasedBytes) + ' leased, ' + node.outputs + ' outputs',
  ];
  if (node.overflowCapacityBytes > 0 || node.overflowUsedBytes > 0) {
    lines.push(bytes(node.overflowUsedBytes) + ' in files of ' + bytes(node.overflowCapacityBytes));
  }
  const words = lines.map((line) => element('small', line));
  const made = element('div', [element('b', node.address), ...words], 'tile ' + node.state);
  made.title = [node.name, ...lines].join('\n');
  made.style.setProperty('--fill', 100 * (node.usedBytes + node.leasedBytes) / (node.capacityBytes || 1) + '%');
  return made;
}

function tiles(title, nodes) {
  if (nodes.length === 0) { return []; }
  const kind = nodes.length > MOST_TILES ? 'map dense' : 'map';
  return [element('h2', title + ' (' + nodes.length + ')'), element('div', nodes.map(tile), kind)];
}

function refusals(causes) {
  return Object.entries(causes).filter((cause) => cause[1] > 0).map((cause) => cause[1] + ' ' + cause[0]).join(', ');
}

function byBytes(one, other) { return other.bytes - one.bytes; }

function cluster(known) {
  const totals = known.totals;
  const limit = (quota) => Math.min(quota ?? Infinity, totals.capacityBytes);
  return [
    element('h2', 'Cluster'),
    element('p', known.settled ? '' : 'The placement service has started only now: it may not know all yet.'),
    element('p', share(totals.usedBytes + totals.leasedBytes, totals.capacityBytes) + ', '
      + totals.nodes + ' nodes (' + totals.memoryNodes + ' only store), ' + totals.outputs + ' map outputs, '
      + totals.jobs + ' jobs, ' + totals.leases + ' leases, ' + totals.granted + ' places given; not given: '
      + (refusals(totals.refused) || 'none')),
    ...tiles('Memory nodes', known.nodes.filter((node) => node.memoryOnly)),
    ...tiles('Hosts that run tasks and give memory', known.nodes.filter((n) => !n.memoryOnly && n.capacityBytes > 0)),
    ...tiles('Hosts that give none', known.nodes.filter((node) => !node.memoryOnly && node.capacityBytes === 0)),
    ...table('Jobs in memory nodes', ['job', 'user', 'may take', 'bytes', 'outputs', 'not placed by quota'],
      [...known.jobs].sort(byBytes).map((job) => [job.id, job.user || '?',
        share(job.bytes, limit(known.jobLimitBytes)), bytes(job.bytes), job.outputs, job.refused])),
    ...table('Users', ['user', 'may take', 'bytes'],
      [...known.users].sort(byBytes).map((user) => [user.name,
        share(user.bytes, limit(known.userLimitBytes)), bytes(user.bytes)])),
  ];
}

function member(is) {
  return table('Member of a cluster',
    ['placement service', 'has answered', 'memory', 'outputs', 'pieces put', 'bytes put', 'refused', 'jobs known'],
    [[is.service, is.answered, share(is.usedBytes, is.capacityBytes), is.outputs, is.puts.pieces,
      bytes(is.puts.bytes), refusals(is.puts.refused) || 'none', is.jobs]]);
}

function show(status) {
  document.title = 'Spillway node process ' + status.pid;
  document.querySelector('main').replaceChildren(
    element('p', 'Process ' + status.pid + ', version ' + status.version + ', epoch ' + status.epoch
      + ', started ' + status.started + (status.draining ? '; drained: it takes no new map outputs' : '')),
    ...(status.member && status.member.placement ? cluster(status.member.placement) : []),
    ...table('Transports', ['transport', 'address', 'connections', 'requests', 'failures', 'bytes'],
      status.transports.map((t) => [t.name, t.address, t.connections, t.requests, t.failures, bytes(t.bytes)])),
    ...table('Not served', ['transport', 'why'], Object.entries(status.notServed)),
    ...table('NodeManagers', ['name', 'shuffle port', 'handler connected', 'jobs'],
      status.nodeManagers.map((m) => [m.name, m.shuffle, m.connected, m.jobs.join(' ')])),
    ...table('Stores', ['NodeManager', 'tier', 'folder', 'used', 'free'],
      status.nodeManagers.flatMap((m) => m.stores.map((s) =>
        [m.name, s.tier, s.folder, bytes(s.usedBytes), bytes(s.freeBytes)]))),
    ...(status.member ? member(status.member) : []),
    element('p', 'Read ahead: ' + status.cache.hits + ' of ' + (status.cache.hits + status.cache.misses)
      + ' pieces from memory, ' + bytes(status.cache.currentBytes) + ' in memory'));
}

async function load() {
  if (!document.hidden) {
    try {
      const answer = await fetch('/status.json', {cache: 'no-store'});
      if (!answer.ok) { throw new Error(answer.status); }
      show(await answer.json());
      document.body.className = '';
    } catch (error) {
      document.body.className = 'stale';
    }
  }
  setTimeout(load, PAUSE_MILLIS);
}

load();
