// Live figures: the sliders choose among the curves that came with the page, uPlot draws them.
{
  const raised = (text) => text.replace(/[-\d]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
  const powerOfTen = (exponent) => `10${raised(String(exponent))}`;

  // From hundredths of a decimal logarithm: 5.6·10⁻²
  const scientific = (hundredths) => {
    const [mantissa, exponent] = (10 ** (hundredths / 100)).toExponential(1).split("e");
    return `${mantissa}·${powerOfTen(Number(exponent))}`;
  };

  const axisOf = (frame, axis) => ({
    stroke: () => getComputedStyle(frame).color,
    grid: { stroke: () => getComputedStyle(frame).getPropertyValue("--live-grid"), width: 1 },
    ticks: { show: false },
    font: `13px ${getComputedStyle(frame).fontFamily}`,
    ...(axis.log && { incrs: [1, 2, 3], values: (_, at) => at.map(powerOfTen) }),
    ...(axis.ticks && { splits: axis.ticks.map(Math.log10), values: () => axis.ticks }),
  });

  const start = (frame) => {
    const { x, y, sliders, series, words } = JSON.parse(frame.querySelector("script").textContent);
    const place = frame.querySelector(".live-plot");
    const inputs = [...frame.querySelectorAll("input")];
    const outputs = [...frame.querySelectorAll("output")];
    const verdicts = [...frame.querySelectorAll(".live-verdict")];
    const keys = [...frame.querySelectorAll(".live-key")];

    const chosen = () => {
      const at = Object.fromEntries(sliders.map(({ name }, i) => [name, inputs[i].value]));
      return series.map(({ by, curves }) => curves[by.map((name) => at[name]).join(" ")]);
    };
    const pointsOf = (curve) => [
      curve.x.split(" ").map((text) => (x.log ? Math.log10(text) : Number(text))),
      curve.y.split(" ").map((text) => text / 100),
    ];
    const sentence = (curve) => {
      const [least, most] = y.range.map(powerOfTen);
      const numbers = { ...curve, least, most, level: scientific(curve.level) };
      return words[curve.verdict].replace(/\{(\w+)\}/g, (_, name) => numbers[name]);
    };
    const size = () => ({
      width: place.clientWidth,
      height: Math.round(Math.min(Math.max(place.clientWidth * 0.55, 220), 380)),
    });

    frame.parentElement.classList.add("is-live");
    frame.hidden = false;
    const plot = new uPlot(
      {
        ...size(),
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: x.range }, y: { range: y.range } },
        axes: [{ ...axisOf(frame, x), size: 32 }, { ...axisOf(frame, y), size: 48 }],
        series: [
          {},
          ...series.map((_, i) => ({
            stroke: () => getComputedStyle(keys[i]).color,
            width: 2.5,
            dash: [[], [8, 5], [2, 4]][i],
            points: { show: Boolean(x.ticks) },
            spanGaps: true,
          })),
        ],
      },
      null,
      place,
    );

    const show = () => {
      for (const [i, { values }] of sliders.entries()) {
        outputs[i].value = values[inputs[i].value];
        inputs[i].ariaValueText = values[inputs[i].value];
      }
      const curves = chosen();
      plot.setData(uPlot.join(curves.map(pointsOf)));
      curves.forEach((curve, i) => {
        verdicts[i].textContent = sentence(curve);
      });
    };
    for (const input of inputs) input.addEventListener("input", show);
    show();

    frame.plot = plot; // for the browser tests, which compare its data with the notebook's
    new ResizeObserver(() => {
      if (place.clientWidth) plot.setSize(size());
    }).observe(place);
    // Colours are read from the style sheet whenever the plot is drawn.
    const redraw = () => plot.redraw();
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  };

  if (window.uPlot) document.querySelectorAll(".live").forEach(start);
}
