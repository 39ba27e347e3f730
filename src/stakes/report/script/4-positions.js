  // ---- boxes beside the sliders; what was changed, the way back, and a link to where things stand
  const shareText = (share) => rate(share).replace(/[^\d.e-]/g, "");
  const odds = (percents) => Math.log(percents / (100 - percents));
  const control = (id, { at, scale, act }) => { // `at` gives what the box says at a stop
    const [slider, box] = [$(id), $(`${id}-box`)];
    listen(id, "input", act);
    listen(box.id, "input", () => {
      const wanted = typed(box.id);
      box.dataset.typing = "yes";
      if (wanted === null || !Number.isFinite(scale(wanted))) return;
      const stops = range(Number(slider.min), Number(slider.max));
      slider.value = String(stops[least(stops.map((stop) => Math.abs(scale(at(stop)) - scale(wanted))))]);
      act();
    });
    box.addEventListener("change", () => { delete box.dataset.typing; act(); });
  };
  const written = (id, text, spoken) => {
    const [slider, box] = [$(id), $(`${id}-box`)];
    slider.setAttribute("aria-valuetext", spoken);
    if (!box.dataset.typing) box.value = slider.value === slider.defaultValue ? box.defaultValue : text;
  };
  const entries = () => [...document.querySelectorAll("main input")];
  const differs = (entry) => entry.value !== entry.defaultValue;
  const position = () => { // a slider also fills boxes, which are then not said again
    const changed = entries().filter((entry) => differs(entry) && !entry.id.endsWith("-box"));
    const slid = changed.some((entry) => entry.type === "range" && entry.id !== "capacity");
    const said = changed.filter((entry) => !(slid && entry.classList.contains("cost"))).map((entry) => [entry.id, entry.value]);
    if ($("class") && said.some(([id]) => id === "share")) said.unshift(["class", $("class").value]);
    return new URLSearchParams(said).toString();
  };
  const unbroken = (word) => { // a line breaks a word of a command only where that is longer than it
    const span = document.createElement("span");
    span.className = "word";
    span.textContent = word;
    return span;
  };
  const precise = (x) => String(Number(x.toPrecision(9)));
  let asked = ""; // by the sliders of costs and shares
  let limitOption = () => "";
  const marked = (options = asked) => { // `options` ask the command line for the same place, if they can
    asked = options;
    entries().forEach((entry) => {
      entry.classList.toggle("changed", differs(entry));
      const was = $(`${entry.id}-was`);
      if (was) was.textContent = differs(entry) ? `changed from ${entry.defaultValue || "none"}` : "";
    });
    const place_ = position();
    $("position").hidden = !place_;
    $("here").setAttribute("href", `#${place_}`);
    if (!$("again")) return;
    const file = decodeURIComponent(location.pathname.split("/").pop()) || "report.html";
    const quoted = /^[\w.-]+$/.test(file) ? file : `'${file.replace(/'/g, "'\\''")}'`;
    const unasked = !options && entries().some((entry) => differs(entry) && !entry.id.startsWith("capacity"));
    const all = unasked ? "" : `${options} ${limitOption()}`.trim();
    $("again").hidden = !place_ || !all;
    const words = `stakes eval --inquiry ${quoted} ${all}`.split(" ").flatMap((word) => [" ", unbroken(word)]);
    $("again").replaceChildren(...words.slice(1));
  };
  const volumeOption = () => (volume() === app.volume || volume() === null ? ""
    : ` --volume ${precise(volume())}${app.period ? `/${app.period}` : ""}`);
  let redraw = () => {}; // after values were put into the inputs
  const kept_ = () => { // the address of the page says where things stand
    try { history.replaceState(null, "", `#${position()}`); } catch { /* a frame has no address */ }
  };
  const restore = () => {
    entries().forEach((entry) => { entry.value = entry.defaultValue; delete entry.dataset.typing; });
    new URLSearchParams(location.hash.slice(1)).forEach((value, id) => {
      const entry = $(id);
      if (entry && entry.matches("main input, #class") && value !== "" && Number.isFinite(Number(value))) entry.value = value;
    });
    redraw();
  };
  const started = () => {
    if (!$("position")) return;
    document.addEventListener("change", kept_);
    $("reset").addEventListener("click", () => {
      entries().forEach((entry) => { entry.value = entry.defaultValue; delete entry.dataset.typing; });
      redraw();
      kept_();
      document.querySelector("main input").focus();
    });
    window.addEventListener("hashchange", restore);
    if (location.hash.length > 1) restore();
  };
