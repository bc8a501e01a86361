/** A line over a logarithmic axis. */
export interface Chart {
  title: string;
  /** What the axes count, with the unit. */
  x: string;
  y: string;
  points: readonly (readonly [x: number, y: number])[];
}

const size = { width: 460, height: 300, left: 64, right: 16, top: 40, bottom: 52 } as const;
// Between the ends of an axis and the points next to them, so that no label runs into another.
const inset = 34;
const columns = 2;

/** Draws charts side by side, two in a row, as one SVG that reads on light and on dark pages. */
export function chartsToSvg(charts: readonly Chart[]): string {
  const width = columns * size.width;
  const height = Math.ceil(charts.length / columns) * size.height;
  const drawn = charts.map((chart, index) => {
    const at = [(index % columns) * size.width, Math.floor(index / columns) * size.height];
    return `<g transform="translate(${at.join(' ')})">\n${drawChart(chart)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${charts.map(({ title }) => title).join('; ')}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawChart({ title, x, y, points }: Chart): string {
  const [left, right] = [size.left, size.width - size.right];
  const [top, bottom] = [size.top, size.height - size.bottom];
  const steps = axisSteps(Math.max(...points.map(([, value]) => value)));
  const highest = steps.at(-1) ?? 1;
  const [lowX, highX] = [Math.log(points.at(0)?.[0] ?? 1), Math.log(points.at(-1)?.[0] ?? 1)];
  const placeX = (value: number): number =>
    round(left + inset + ((Math.log(value) - lowX) / (highX - lowX)) * (right - left - 2 * inset));
  const placeY = (value: number): number => round(bottom - (value / highest) * (bottom - top));
  const line = points.map(([at, value]) => `${placeX(at)},${placeY(value)}`).join(' ');
  return [
    text(left, 22, title, 'start', 'font-weight="bold" font-size="14"'),
    ...steps.flatMap((step) => [
      `<line x1="${left}" x2="${right}" y1="${placeY(step)}" y2="${placeY(step)}" stroke="#dddddd"/>`,
      text(left - 8, placeY(step) + 4, step.toLocaleString('en'), 'end'),
    ]),
    ...points.map(([at]) => text(placeX(at), bottom + 18, at.toLocaleString('en'), 'middle')),
    text((left + right) / 2, bottom + 38, `${x} (logarithmic)`, 'middle'),
    `<g transform="translate(16 ${(top + bottom) / 2}) rotate(-90)">${text(0, 0, y, 'middle')}</g>`,
    `<line x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}" stroke="#333333"/>`,
    `<polyline points="${line}" fill="none" stroke="#3366cc" stroke-width="2"/>`,
    ...points.flatMap(([at, value]) => [
      `<circle cx="${placeX(at)}" cy="${placeY(value)}" r="3.5" fill="#3366cc"/>`,
      text(placeX(at), placeY(value) - 9, String(Math.round(value)), 'middle', 'fill="#3366cc"'),
    ]),
  ].join('\n');
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', more = ''): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" ${more}>${content}</text>`;
}

// Round numbers from 0 to just above the highest value.
function axisSteps(highest: number): number[] {
  const rough = (highest * 1.15) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil((highest * 1.15) / step) + 1 }, (_, index) => index * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
