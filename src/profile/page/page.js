'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
const store = document.getElementById('store');
const figures = [...store.querySelectorAll('figure')];

/** An element with attributes and children; strings become text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== false) element.setAttribute(name, value);
  element.append(...children.flat().filter(child => child !== undefined && child !== null));
  return element;
}

const number = value => value === undefined ? '' :
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(+value.toPrecision(4));
const percent = share => (100 * share).toFixed(1) + ' %';
function time(seconds) {
  if (!(seconds > 0)) return '–';
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['µs', 1e-6]])
    if (seconds >= size) return +(seconds / size).toPrecision(5) + ' ' + unit;
  return +(seconds * 1e9).toPrecision(5) + ' ns';
}

/** A table; columns are {name, of, text, isText}. A click on a head sorts. */
function table(caption, columns, rows) {
  const body = make('tbody');
  let sortedBy = null, isDown = true;
  function fill() {
    const list = [...rows];
    if (sortedBy !== null) {
      const of = columns[sortedBy].of;
      list.sort((a, b) => {
        const x = of(a), y = of(b);
        const order = typeof x === 'string' ? x.localeCompare(y) : (x || 0) - (y || 0);
        return isDown ? -order : order;
      });
    }
    body.replaceChildren(...list.map(row => make('tr', {}, columns.map(column => {
      const value = column.of(row);
      const shown = column.text ? column.text(value, row) : typeof value === 'number' ? number(value) : value;
      return make('td', {class: column.kind}, shown === undefined ? '' : shown);
    }))));
  }
  const heads = columns.map((column, i) => {
    const button = make('button', {type: 'button'}, column.name);
    const head = make('th', {scope: 'col', class: column.kind ? 'text' : undefined}, button);
    button.onclick = () => {
      isDown = sortedBy === i ? !isDown : true;
      sortedBy = i;
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
      fill();
    };
    return head;
  });
  fill();
  return make('div', {class: 'scroll'},
    make('table', {'aria-label': caption}, make('thead', {}, make('tr', {}, heads)), body));
}

const chosen = {kernel: 0, board: 0};
const kernel = () => data.kernels[chosen.kernel];
const timeNow = () => kernel() && kernel().times[chosen.board];

/** The drawings of a view that belong to what is chosen. */
function pictures(view) {
  return figures.filter(figure => figure.dataset.view === view &&
    [['kernel', chosen.kernel], ['board', chosen.board]].every(([name, value]) =>
      figure.dataset[name] === undefined || +figure.dataset[name] === value))
    .map(figure => figure.cloneNode(true));
}
const orNone = (list, text) => list.length ? list : [make('p', {class: 'none'}, text)];
const facts = list => make('div', {class: 'facts'},
  list.map(([value, name]) => make('div', {}, make('b', {}, value), make('span', {}, name))));

function sums(caption, rows, unit) {
  const all = rows.reduce((sum, row) => sum + row.total, 0);
  const asTime = nanoseconds => time(nanoseconds * 1e-9);
  return table(caption, [
    {name: 'share', of: row => row.total / all, text: percent},
    {name: 'time', of: row => row.total, text: asTime},
    {name: 'times', of: row => row.count},
    {name: 'mean', of: row => row.mean, text: asTime},
    {name: 'least', of: row => row.least, text: asTime},
    {name: 'most', of: row => row.most, text: asTime},
    {name: unit, of: row => row.name, kind: 'name'}], rows);
}

const views = {
  summary: {title: 'Summary', choices: data.workOnBoards.length ? ['board'] : [], make() {
    const isPredicted = data.workOnBoards.length > 0;
    const rows = isPredicted ? data.workOnBoards[chosen.board] : data.work;
    const work = rows.reduce((sum, row) => sum + row.total, 0) * 1e-9;
    const onDevices = 'Work on ' + (isPredicted ? data.boards[chosen.board].name : data.devices.join(', ') || 'devices');
    const parts = [facts([
      [time(work), onDevices],
      [number(rows.reduce((sum, row) => sum + row.count, 0)), 'kernels, copies and fills'],
      [number(data.calls.reduce((sum, row) => sum + row.count, 0)), 'calls of the API'],
      [data.boards.map(board => board.key).join(', ') || '–', 'modelled GPUs'],
      [data.devices.join(', ') || '–', 'devices']])];
    const gains = data.kernels.flatMap((one, k) => one.times.flatMap((t, b) => t.lines
      .filter(line => line.gain >= 1.02)
      .map(line => ({kernel: one.kernel, board: data.boards[b].key, ...line}))));
    if (gains.length)
      parts.push(make('h2', {}, 'What mending a line gains'), table('What mending a line gains', [
        {name: 'times as fast', of: row => row.gain, text: value => value.toFixed(2)},
        {name: 'GPU', of: row => row.board, kind: 'text'},
        {name: 'line', of: row => place(row), kind: 'text'},
        {name: 'what it does', of: row => row.flaw, kind: 'text'},
        {name: 'kernel', of: row => row.kernel, kind: 'name'}],
      gains.sort((a, b) => b.gain - a.gain).slice(0, 12)));
    if (rows.length) parts.push(make('h2', {}, onDevices), sums(onDevices, rows, 'work'));
    if (data.ranges.length) parts.push(make('h2', {}, 'Ranges'), sums('Ranges', data.ranges, 'range'));
    if (data.calls.length) parts.push(make('h2', {}, 'Calls of the API'), sums('Calls of the API', data.calls, 'call'),
      ...(isPredicted ? [make('p', {class: 'none'}, 'Calls and ranges have the times of this processor, where the program ran.')] : []));
    return parts;
  }},
  kernels: {title: 'Kernels', choices: ['kernel', 'board'], make() {
    const at = row => row.times[chosen.board];
    const parts = [table('Kernels', [
      {name: 'kernel', of: row => row.kernel, kind: 'name'},
      {name: 'time', of: row => at(row).seconds, text: time},
      {name: 'launches', of: row => row.launches},
      {name: 'bound by', of: row => at(row).unknown || at(row).bound, kind: 'text'},
      {name: 'occupancy', of: row => at(row).occupancy, text: percent},
      {name: 'limited by', of: row => at(row).limit, kind: 'text'},
      {name: 'registers', of: row => at(row).registers},
      {name: 'GB/s', of: row => at(row).seconds > 0 ? (at(row).read + at(row).written) / at(row).seconds / 1e9 : 0},
      {name: 'L1 hits', of: row => at(row).l1, text: percent},
      {name: 'L2 hits', of: row => at(row).l2, text: percent},
      {name: 'grid', of: row => row.grid.join(' × '), kind: 'text'},
      {name: 'block', of: row => row.block.join(' × '), kind: 'text'}], data.kernels)];
    const now = timeNow();
    if (now.unknown) return [...parts, make('p', {}, 'No time: ' + now.unknown)];
    parts.push(make('h2', {}, kernel().title),
      make('p', {}, 'What its warps wait for:'), ...pictures('waits'));
    parts.push(make('p', {}, 'How busy each part of the GPU is:'), table('Use', [
      {name: 'busy', of: row => row[1], text: percent},
      {name: 'part', of: row => row[0], kind: 'text'}], Object.entries(now.used)));
    if (!now.isKnown) parts.push(make('p', {}, 'The architecture’s parameters are not known: those of the nearest one.'));
    if (now.error > 0.05) parts.push(make('p', {}, 'Error of sampling: ' + percent(now.error)));
    return parts;
  }},
  source: {title: 'Source', choices: ['kernel', 'board'], make() { return sourceOf(kernel(), timeNow()); }},
  roofline: {title: 'Roofline', choices: ['board'], make: () => pictures('roofline')},
  occupancy: {title: 'Occupancy', choices: ['kernel', 'board'], make: () => {
    const now = timeNow();
    return [make('p', {}, `${percent(now.occupancy)} of the warps that are possible, limited by ` +
      `${now.limit}; ${percent(now.achieved)} on the average while the kernel runs.`), ...pictures('occupancy')];
  }},
  accesses: {title: 'Accesses', choices: ['kernel'], make() {
    const list = pictures('accesses');
    if (!list.length) return orNone(list, 'No accesses were recorded.');
    const box = make('div', {});
    const select = make('select', {}, list.map((figure, i) => make('option', {value: i}, figure.dataset.title)));
    select.onchange = () => box.replaceChildren(list[select.value]);
    // First that which is farthest from what would do.
    const excess = figure => { const [, has, ideal] = /: (\d+) .*; (\d+) would do/.exec(figure.dataset.title); return has / ideal; };
    const worst = list.reduce((most, figure, i) => excess(figure) > excess(list[most]) ? i : most, 0);
    select.value = worst;
    box.append(list[worst]);
    return [make('p', {}, make('label', {}, 'Access ', select)),
      make('p', {}, 'What one warp asks for. Each number is a lane.'), box];
  }},
  timeline: {title: 'Timeline', choices: figures.some(figure => figure.dataset.view === 'timeline' && figure.dataset.board) ? ['board'] : [], make() {
    const list = pictures('timeline');
    const range = make('input', {type: 'range', min: 1, max: 60, value: 1, step: 1});
    range.oninput = () => list.forEach(figure => {
      const middle = (figure.scrollLeft + figure.clientWidth / 2) / figure.scrollWidth;
      figure.querySelector('svg').style.width = 100 * range.value + '%';
      figure.scrollLeft = middle * figure.scrollWidth - figure.clientWidth / 2;
    });
    return [make('p', {}, make('label', {}, 'Wider ', range)), ...list];
  }},
  boards: {title: 'GPUs', make() {
    return [table('GPUs', [
      {name: 'GPU', of: row => row.key, kind: 'text'}, {name: 'name', of: row => row.name, kind: 'text'},
      {name: 'compute capability', of: row => row.capability},
      {name: 'multiprocessors', of: row => row.multiprocessors},
      {name: 'GB/s', of: row => row.bandwidth / 1e9}], data.boards),
    make('h2', {}, 'Side by side'),
    table('Kernels by GPU', [
      {name: 'kernel', of: row => row.kernel, kind: 'name'},
      ...data.boards.flatMap((board, b) => [
        {name: board.key, of: row => row.times[b].seconds, text: time},
        {name: 'bound by', of: row => row.times[b].bound, kind: 'text'},
        ...(b ? [{name: 'to ' + data.boards[0].key, of: row => row.times[b].seconds / row.times[0].seconds,
          text: value => value > 0 ? value.toFixed(2) : '–'}] : [])])], data.kernels), ...pictures('boards')];
  }},
};

const nameOf = file => data.sources[file].file.replace(/.*\//, '');
const place = line => nameOf(line.file) + ':' + line.line;

/** Source lines beside what was counted and what they cost. */
function sourceOf(one, now) {
  const rows = new Map();
  const key = line => line.file + ':' + line.line;
  for (const line of one.counters) rows.set(key(line), {counters: line});
  for (const line of now.lines) rows.set(key(line), {...rows.get(key(line)), cost: line});
  const files = [...new Set([...rows.keys()].map(text => +text.split(':')[0]))];
  if (!files.length) return [make('p', {class: 'none'}, 'Nothing is known of its lines.')];
  const most = Math.max(...now.lines.map(line => line.share), 1e-9);
  const ofPair = (has, ideal) => has ? `${number(has)} / ${number(Math.ceil(ideal || 0))}` : '';
  const columns = [
    ['cost', (counters, cost) => cost && cost.share >= 0.0005 ? percent(cost.share) : ''],
    ['warps', counters => number(counters.warps)],
    ['lanes', counters => counters.warps ? (counters.threads / counters.warps).toFixed(1) : ''],
    ['requests', counters => number(counters.requests)],
    ['sectors', counters => ofPair(counters.sectors, counters.wanted)],
    ['passes', counters => ofPair(counters.passes, counters.ideal)],
  ].filter(([name, of]) => name === 'cost' || one.counters.some(counters => of(counters)));
  return files.flatMap(file => {
    const {lines} = data.sources[file];
    const here = [...rows.keys()].filter(text => +text.split(':')[0] === file).map(text => +text.split(':')[1]);
    const first = Math.max(1, Math.min(...here) - 6), last = Math.max(...here) + 4;
    const list = [];
    for (let at = first; at <= (lines.length ? Math.min(last, lines.length) : last); ++at) {
      const {counters = {}, cost} = rows.get(file + ':' + at) || {};
      if (!lines.length && !here.includes(at)) continue;
      const share = cost ? cost.share : 0;
      list.push(make('tr', {style: share ? `background: rgba(var(--heat), ${(0.5 * share / most).toFixed(3)})` : undefined},
        columns.map(([, of]) => make('td', {}, of(counters, cost))),
        make('td', {class: 'number'}, at), make('td', {class: 'code'}, lines[at - 1] || '')));
      if (cost && cost.flaw)
        list.push(make('tr', {}, make('td', {colspan: columns.length + 1}),
          make('td', {class: 'note'}, '▲ ' + cost.flaw)));
    }
    return [make('h2', {}, nameOf(file)), make('div', {class: 'scroll'}, make('table', {class: 'source', 'aria-label': 'Source of ' + nameOf(file)},
      make('thead', {}, make('tr', {},
        columns.map(([name]) => make('th', {scope: 'col'}, name)), make('th', {scope: 'col'}, 'line'),
        make('th', {scope: 'col', class: 'text'}, 'source'))),
      make('tbody', {}, list)))];
  }).concat(make('p', {class: 'none'}, 'Cost is a line’s share of the time that warps spend. Executions by warps, ' +
    'and lanes that were on; requests of memory; sectors, and those that the bytes asked for would fill; ' +
    'passes of shared memory, and those without conflicts.'));
}

const tabs = document.getElementById('tabs');
let shown = 'summary';
function show(name) {
  shown = name;
  for (const tab of tabs.children) {
    const isThis = tab.dataset.view === name;
    tab.setAttribute('aria-selected', isThis);
    tab.tabIndex = isThis ? 0 : -1;
  }
  const choices = views[name].choices || [];
  for (const choice of ['kernel', 'board'])
    document.getElementById(choice).parentElement.hidden = !choices.includes(choice);
  document.getElementById('choices').hidden = !choices.length;
  const panel = make('section', {role: 'tabpanel', 'aria-label': views[name].title},
    ...orNone(views[name].make(), 'Nothing was recorded.'));
  main.replaceChildren(panel);
}

document.getElementById('program').textContent = data.program;
const isModelled = data.kernels.length > 0;
for (const [name, view] of Object.entries(views)) {
  if (!isModelled && !['summary', 'timeline'].includes(name)) continue;
  const tab = make('button', {type: 'button', role: 'tab', 'data-view': name}, view.title);
  tab.onclick = () => { location.hash = name; };
  tabs.append(tab);
}
tabs.onkeydown = event => {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step) return;
  const list = [...tabs.children], at = list.findIndex(tab => tab.dataset.view === shown);
  const next = list[(at + step + list.length) % list.length];
  location.hash = next.dataset.view;
  next.focus();
};
for (const choice of ['kernel', 'board']) {
  const select = document.getElementById(choice);
  const names = choice === 'kernel' ? data.kernels.map(one => one.title) : data.boards.map(board => board.name);
  select.append(...names.map((name, i) => make('option', {value: i}, name)));
  select.onchange = () => { chosen[choice] = +select.value; show(shown); };
}
/** The address names the view, and may name kernel and GPU: #source,1,0. */
function fromAddress() {
  const [name, ...rest] = location.hash.slice(1).split(',');
  rest.forEach((value, i) => {
    const choice = ['kernel', 'board'][i], select = document.getElementById(choice);
    if (select.options[value]) chosen[choice] = +(select.value = value);
  });
  show(views[name] && [...tabs.children].some(tab => tab.dataset.view === name) ? name : 'summary');
}
window.onhashchange = fromAddress;
fromAddress();
