def test_on_the_command_line(run, write):
    name = write("d.csv", "y,p\n" + "no,0.2\nyes,0.7\nno,0.4\n" * 20)
    words = ("eval", name, "--positive", "yes", "--scores", "p", "--json")
    ran = run(*words, "--cost", "FN=€1.5k", "fp=€4")
    assert ran.found["application"]["costs"] == [[0, 4], [1500, 0]]
    assert ran.found["application"]["unit"] == "€"
    assert "is in EUR" in run(*words, "--cost", "fn=500EUR", "fp=4", "--unit", "USD").err
    assert "has a comma inside a number" in run(*words, "--cost", "fn=€1,500", "fp=4").err
    ask = ("ask", name, "--positive", "yes", "--scores", "p", "--no-questions", "--json")
    assert run(*ask, "--amounts", "fn=€200..400", "fp=€10").code == 0
