package workload

import "strings"

// token is one piece of model output, escaped once for each style.
type token [numStyles][]byte

func makeTokens(pieces []string) []token {
	tokens := make([]token, len(pieces))
	for i, p := range pieces {
		for st := range numStyles {
			tokens[i][st] = appendEscaped(nil, p, st)
		}
	}
	return tokens
}

// spaced puts the space that models put in front of a word.
func spaced(words string) []string {
	list := strings.Fields(words)
	for i := range list {
		list[i] = " " + list[i]
	}
	return list
}

// voice is a kind of output: words by falling frequency, and what opens and closes its sentences.
type voice struct {
	share  int // out of 100
	first  []token
	words  []token
	stops  []token
	breaks []token
	tails  []token // what goes on a word without a space; none in scripts without spaces
}

// The word lists are ordered by how often the words come; draws prefer the front.
var (
	englishWords = spaced(`the to of and a in is that for it you with on as are be this can or if your
		not by from an at have which will use when all value we one data state but each has more so
		file time function example new list first need run make number user set what event there text
		return other two message they how any want was then error them into only about also name code
		like were work should add way request some out should through stream might after before call
		result between order model under between system because server response without simply every
		same small large string array object field test case change keep while next through question
		answer performance directory parse buffer update index search table column weather temperature
		approach however available together information something different possible important actually
		configuration environment implementation documentation naïve café façade résumé`)
	englishFirst = strings.Fields(`The This You To If It In For A First We Here Next Then When Let
		Note However Sure Yes Once Finally Great Each There Both Because`)
	frenchWords = spaced(`de la le et les des en un une du est que pour dans ce qui par sur plus
		avec il être à données vous nous même très où déjà après été fenêtre système réponse modèle
		créer flux événement œuvre problème élève français températures précédente`)
	germanWords = spaced(`der die und in den von zu das mit sich des auf für ist im dem nicht ein
		eine als auch es an werden aus er hat dass sie nach wird bei Größe über können Straße schön
		Prüfung Änderung müssen während Fußgängerübergänge Datenübertragung`)
	russianWords = spaced(`и в не на я что он с по это как но из у за вы так же от бы мы для
		данные ответ сообщение поток состояние вопрос пример система запрос`)
	cjkWords = strings.Fields(`の は を に が で と し て た です ます この 東京 天気 今日 データ
		状態 更新 する ある なる こと もの これ から 的 了 在 是 我 有 和 就 不 人 都 一个 可以 我们
		使用 信息 系统 모델 이 그 저 것 수 있습니다`)
	emojiPieces = []string{" 🙂", " 🎉", "🚀", " ✅", "👍🏽", " 👩‍💻", "🇮🇸", " ❤️", "🦊", "🐕", " ✨", " 𝒳"}
	codePieces  = []string{
		"    ", "\n", "\n    ", "\n\n", "return", " ", "(", ")", "()", " =", " ==", ".", ",", ":", " {", "\n}",
		" if", " for", " in", " def", "func", " :=", " err", " !=", " nil", " <", " >", " &&", "&", "\"", "\"\"",
		" \"%s\\n\"", "'", "[", "]", "0", "1", " range", "_id", "x", "i", "self", "print", " //", "\t", "\n\t", "\n\t\t",
		"<div class=\"", "\">", "</div>", "\\d+", "/", " +=", " lambda", "await", " const", " =>", "${", "}`", ";",
	}
	subwords = []string{"ing", "ed", "s", "ly", "tion", "'s", "er", "-", "/", "n't", "_", "able", "12", "3"}

	fence      = makeTokens([]string{"```"})[0]
	bullets    = makeTokens([]string{"\n- ", "\n1. ", "\n* **", "\n2. ", "\n  - ", "\n> ", "\n### "})
	tongues    = makeTokens([]string{"python\n", "go\n", "ts\n", "json\n", "\n", "sql\n"})
	code       = makeTokens(codePieces)
	emoji      = makeTokens(emojiPieces)
	latinTails = makeTokens(subwords)

	latinStops  = makeTokens([]string{".", ",", ".", ",", ":", "?", "!", ";", " (", ")", " \"", "\"", "…", " –", "’s", "**", "`"})
	latinBreaks = makeTokens([]string{"\n\n", " ", "\n\n", "\n"})
)

var voices = []voice{
	{74, makeTokens(englishFirst), makeTokens(englishWords), latinStops, latinBreaks, latinTails},
	{7, makeTokens(strings.Fields("Le La Les Vous Pour Voici À Nous Où")), makeTokens(frenchWords), makeTokens([]string{".", ",", " :", " ?", " «", " »", "’"}), latinBreaks, latinTails},
	{7, makeTokens(strings.Fields("Der Die Das Wir Sie Für Über Hier Zuerst")), makeTokens(germanWords), makeTokens([]string{".", ",", ":", "?", " „", "“"}), latinBreaks, latinTails},
	{5, makeTokens(strings.Fields("Это Вы Для Мы Если Вот")), makeTokens(russianWords), makeTokens([]string{".", ",", ":", "?", " «", "»"}), latinBreaks, latinTails},
	{7, makeTokens(strings.Fields("この これ まず 我们 今日 이")), makeTokens(cjkWords), makeTokens([]string{"。", "、", "，", "？", "「", "」"}), makeTokens([]string{"\n\n", "\n"}), nil},
}

func drawVoice(r *source) *voice {
	n := r.intn(100)
	for i := range voices {
		if n < voices[i].share {
			return &voices[i]
		}
		n -= voices[i].share
	}
	return &voices[0]
}
