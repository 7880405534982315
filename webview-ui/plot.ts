import uPlot from 'uplot';
import type { Chart } from '../extension/common/dashboard/charts.ts';
import type { Colours } from './colours.ts';

const HEIGHT_PX = 180;
const AXIS_WIDTH_PX = 56;
const AXIS_HEIGHT_PX = 30;
const LABEL_SPACE_PX = 64;
/** Marks nearer to the one before than this have no label: it would lie over the other. */
const MARK_SPACE_PX = 30;
/** Of each series a way to draw its line, so that colour is not all that tells them apart. */
const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

/** Draws a chart into an element, `width` pixels wide. */
export function plot(chart: Chart, colours: Colours, width: number, host: HTMLElement): uPlot {
  const { labels, series, format, pointName } = chart;
  const places = labels.map((_, index) => index);
  const axis = { stroke: colours.text, font: colours.font, ticks: { stroke: colours.grid, size: 4 } };
  const grid = { stroke: colours.grid, width: 1 };
  const options: uPlot.Options = {
    width,
    height: HEIGHT_PX,
    padding: [14, 8, 0, 0],
    scales: {
      x: { time: false, range: () => [-0.5, Math.max(0.5, labels.length - 0.5)] },
      y: { range: (_, low, high) => verticalRange(low, high) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: AXIS_HEIGHT_PX,
        space: LABEL_SPACE_PX,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
        values: (_, splits) => splits.map((split) => labels[split] ?? ''),
      },
      { ...axis, grid, size: AXIS_WIDTH_PX, values: (_, splits) => splits.map((split) => format(split)) },
    ],
    series: [
      { label: pointName, value: (_, place: number | null) => (place === null ? '' : (labels[place] ?? '')) },
      ...series.map(({ name }, index) => ({
        label: name,
        stroke: colours.series[index]!,
        width: 2,
        dash: DASHES[index]!,
        points: { show: true, size: 5, fill: colours.series[index]! },
        value: (_: uPlot, value: number | null) => (value === null ? '' : format(value)),
      })),
    ],
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { drawAxes: [(drawn) => drawMarks(drawn, chart.marks, colours)] },
  };
  return new uPlot(options, [places, ...series.map(({ values }) => values)], host);
}

/** From nought, unless there is something below it. */
function verticalRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const [, top] = uPlot.rangeNum(Math.min(0, low), high, 0.1, true) as [number, number];
  if (low >= 0) return [0, top > 0 ? top : 1];
  return uPlot.rangeNum(low, Math.max(0, high), 0.1, true) as [number, number];
}

function drawMarks(drawn: uPlot, marks: Chart['marks'], colours: Colours): void {
  const { ctx, bbox } = drawn;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colours.mark;
  ctx.fillStyle = colours.text;
  ctx.lineWidth = ratio;
  ctx.font = colours.font.replace(/^\d+/, (size) => String(Number(size) * ratio));
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  let labelled = -Infinity;
  for (const { position, label } of marks) {
    const x = Math.round(drawn.valToPos(position - 0.5, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (x - labelled < MARK_SPACE_PX * ratio) continue;
    labelled = x;
    ctx.fillText(label, x, bbox.top - ratio);
  }
  ctx.restore();
}
